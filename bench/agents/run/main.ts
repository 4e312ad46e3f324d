/*
 * `longhaul-agent`: runs Longhaul without a terminal, as benchmarks need it, and writes what happened to a folder. The tarball brings this file; it imports only
 * Node.js and its neighbours. The contract is in README.md.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { createAgentRun } from './agent-run.ts';

const USAGE = `Usage: longhaul-agent --out FOLDER [--task-file FILE] [--cwd FOLDER] [--model NAME] [--session ID] [-- FLAGS OF longhaul run]
Without --task-file, the task is read from standard input.\n`;

/** How often the result and the trajectory of a running agent are written. */
const WRITE_EVERY_MS = 5_000;
const LIBRARY = fileURLToPath(new URL('../lib/', import.meta.url));

const { values, positionals } = readArguments();
const out = resolve(values.out);
const task =
  values['task-file'] === undefined ? await text(process.stdin) : await readFile(values['task-file']);
await mkdir(out, { recursive: true });

const { version } = JSON.parse(await readFile(join(LIBRARY, 'package.json'), 'utf8')) as { version: string };
const run = createAgentRun(version);
const child = spawn(process.execPath, [join(LIBRARY, 'bin', 'longhaul.js'), ...longhaulArguments()], {
  cwd: values.cwd,
  stdio: ['pipe', 'pipe', 'pipe'],
});
child.stdin.on('error', () => undefined);
child.stdin.end(task);
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => child.kill('SIGTERM'));
child.stderr.pipe(createWriteStream(join(out, 'longhaul.log'), { flags: 'a' }));
child.stderr.pipe(process.stderr);

const events = createWriteStream(join(out, 'events.jsonl'), { flags: 'a' });
const timer = setInterval(() => void writeResult(), WRITE_EVERY_MS);
const closed = once(child, 'close');
for await (const line of createInterface({ input: child.stdout })) {
  run.addLine(line);
  // Pieces of an answer are also in its response.
  if (!line.startsWith('{"type":"llm:chunk"')) events.write(`${line}\n`);
}
const [code] = (await closed) as [number | null];
clearInterval(timer);
run.end(code);
await new Promise((done) => events.end(done));
await writeResult();
process.stdout.write(`${JSON.stringify(run.result())}\n`);
process.exitCode = code ?? 130;

function readArguments() {
  try {
    const options = {
      out: { type: 'string' },
      'task-file': { type: 'string' },
      cwd: { type: 'string', default: '.' },
      model: { type: 'string' },
      session: { type: 'string' },
    } as const;
    const parsed = parseArgs({ options, allowPositionals: true });
    const { out: folder, ...others } = parsed.values;
    if (folder === undefined) throw new Error('--out is missing.');
    return { values: { ...others, out: folder }, positionals: parsed.positionals };
  } catch (error) {
    process.stderr.write(
      `longhaul-agent: ${error instanceof Error ? error.message : String(error)}\n${USAGE}`,
    );
    process.exit(2);
  }
}

function longhaulArguments(): string[] {
  const place = ['--sandbox', 'local', '--env', 'all', '--keep-processes', '--yes', '--json'];
  const model = values.model === undefined ? [] : ['--model', values.model];
  const session = values.session === undefined ? [] : ['--session', values.session];
  return ['run', ...place, ...model, ...session, ...positionals];
}

async function writeResult(): Promise<void> {
  await replace('result.json', run.result());
  await replace('trajectory.json', run.trajectory());
}

/** A reader never sees half a file. */
async function replace(name: string, value: object): Promise<void> {
  const path = join(out, name);
  await writeFile(`${path}.tmp`, `${JSON.stringify(value, undefined, 2)}\n`);
  await rename(`${path}.tmp`, path);
}
