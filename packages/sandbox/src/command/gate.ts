import { Writable } from 'node:stream';
import { LonghaulError } from '@longhaul/protocol';
import type { SpawnedProcess } from './spawn-process.ts';

const GO = 'go';
/** Exit code of a command that was not let through. */
const REFUSED_CODE = 125;

/**
 * Returns shell code that waits on a descriptor until the process that started it opens the gate, and otherwise ends
 * the shell. If that process dies or closes the gate, the shell ends without having run anything.
 *
 * A command waits here while it is recorded. So its process is known before it can have an effect, whenever the process
 * that started it is stopped or killed.
 */
export function waitAtGate(fd: number): string {
  return `IFS= read -r go <&${fd} && [ "$go" = ${GO} ] || exit ${REFUSED_CODE}; exec ${fd}<&-;`;
}

/**
 * Opens the gate of a command once it is recorded.
 *
 * @throws Errors of `record`. The command has ended then, without having run.
 */
export async function passGate(
  { child, exited, release }: SpawnedProcess,
  fd: number,
  record: () => Promise<void>,
): Promise<void> {
  const pipe = child.stdio[fd];
  if (!(pipe instanceof Writable))
    throw new LonghaulError('internal', 'A command was started without its gate.');
  // A command that was killed at the gate does not read from it.
  pipe.on('error', () => undefined);
  try {
    await record();
  } catch (error) {
    pipe.destroy();
    await exited;
    await release();
    throw error;
  }
  pipe.end(`${GO}\n`);
}
