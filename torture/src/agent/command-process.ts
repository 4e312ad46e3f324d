/**
 * A process that runs one command of the program, such as `longhaul import FILE`, as a user would: with its own
 * configuration and storage. Its only argument is its `CommandSettings` as JSON. It kills itself at the point that
 * its environment names. Its last line is the command's JSON.
 */
import './lease-time.ts';
import {
  armFault,
  FILES_FAULT_POINTS,
  PROGRAM_POINTS,
  passFilesPoints,
  passProgramPoints,
} from '@longhaul/testing/fault-points';
import { openLines, type ReceivedLine } from '../records/lines.ts';
import { sessionPaths } from '../records/paths.ts';
import { trueTime } from '../records/true-time.ts';
import { type CommandSettings, FAULT_VARIABLE } from './settings.ts';

// The parent process is part of this package, so its argument is not validated.
const { folder, number, args }: CommandSettings = JSON.parse(process.argv[2] ?? '{}');
const paths = sessionPaths(folder);
// Exits with the parent, because nothing else would end this process.
process.stdin.resume().once('end', () => process.exit(1));
const [name, count] = (process.env[FAULT_VARIABLE] ?? '').split(':');
const point = [...PROGRAM_POINTS, ...FILES_FAULT_POINTS].find((known) => known === name);
if (point !== undefined) {
  const lines = openLines<ReceivedLine>(paths.ofCommand(number));
  const strike = () => {
    lines.write({ type: 'died', at: trueTime(), point });
    process.kill(process.pid, 'SIGKILL');
  };
  const faults = armFault({ point, count: Number(count) }, strike);
  passProgramPoints(faults);
  passFilesPoints(faults);
}
const { main } = await import('longhaul');
process.chdir(paths.workspace);
process.stdout.write('begun\n');
process.exit(await main(args));
