import { mkdir, readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

const OUTPUT_BYTES = 60_000;
const LOCAL = ['--sandbox', 'local', '--yes', '--json'];

const call = (name: string, args: Record<string, string>) => ({ toolCalls: [{ name, arguments: args }] });
const print = (letter: string) => call('bash', { command: `yes ${letter} | head -c ${OUTPUT_BYTES}` });

/** Three commands with long outputs, then the model reads the first of them again. */
function printsThenRecalls() {
  const answers = [print('a'), print('b'), print('c'), call('recall', { handle: 'm2.0' })];
  let next = -1;
  return () => {
    next += 1;
    return answers[next] ?? 'Done.';
  };
}

async function configure(bench: Bench, keptOutput: string): Promise<void> {
  const folder = join(bench.home, '.config/longhaul');
  await mkdir(folder, { recursive: true });
  await writeFile(
    join(folder, 'longhaul.yml'),
    `tools: { bash: { maxOutputChars: 1000 } }\nstorage: { keptOutput: ${keptOutput} }\n`,
  );
}

/** The bytes of the kept outputs. The session's environment is a small blob beside them. */
async function keptBytes(bench: Bench): Promise<number> {
  const folder = join(bench.home, '.local/share/longhaul/blobs');
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile());
  const sizes = await Promise.all(
    files.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).size),
  );
  return sizes.filter((size) => size >= OUTPUT_BYTES).reduce((sum, size) => sum + size, 0);
}

it('deletes the oldest full outputs at the limit if configured, and their handles return what happened', async () => {
  await using bench = await Bench.open();
  await configure(bench, '{ maxMb: 0.1, deleteOldest: true }');
  const { server, flags } = await bench.serve({ script: printsThenRecalls() });
  const ended = await bench.call(['run', 'Print', ...LOCAL, ...flags]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(await keptBytes(bench)).toBe(OUTPUT_BYTES);
  const warnings = eventsOf(ended).filter((event) => event.type === 'context:warning');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('The oldest were deleted'),
    expect.stringContaining('The oldest were deleted'),
  ]);
  const recalled = JSON.stringify(server.requests.at(-1)?.body);
  expect(recalled).toMatch(/The full output \(60,000 bytes\) was deleted on \d{4}-\d\d-\d\d/);
  // A deleted output is not a lost one.
  expect(await bench.call(['export', 'last'])).toMatchObject({ code: 0, stderr: '' });
  const doctor = (await bench.call(['doctor', '--deep', '--json'])).stdout.split('\n');
  const blobs = doctor.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  expect(blobs.find(({ name }) => name === 'blobs')).toMatchObject({ status: 'ok' });
});

it('keeps everything and warns once at the limit by default', async () => {
  await using bench = await Bench.open();
  await configure(bench, '{ maxMb: 0.1 }');
  const { flags } = await bench.serve({ script: printsThenRecalls() });
  const ended = await bench.call(['run', 'Print', ...LOCAL, ...flags]);
  expect(ended).toMatchObject({ code: 0, stderr: '' });
  expect(await keptBytes(bench)).toBe(3 * OUTPUT_BYTES);
  const warnings = eventsOf(ended).filter((event) => event.type === 'context:warning');
  expect(warnings.map(({ message }) => message)).toEqual([
    expect.stringContaining('storage.keptOutput.maxMb'),
  ]);
});
