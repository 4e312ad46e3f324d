import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasToolCall, type Script } from '@longhaul/scripted-model';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

/**
 * Appends each loaded module, started program and started thread to a file, one a line. What would start because the
 * machine is slow does not start.
 */
const RECORDER = `
import { appendFileSync } from 'node:fs';
import { ChildProcess } from 'node:child_process';
import { registerHooks, syncBuiltinESMExports } from 'node:module';
import worker from 'node:worker_threads';
const record = (line) => appendFileSync(process.env.LOADED, line + '\\n');
registerHooks({
  load(url, context, next) {
    record('module ' + url);
    return next(url, context);
  },
});
const { spawn } = ChildProcess.prototype;
ChildProcess.prototype.spawn = function (options) {
  record('program ' + options.file);
  return spawn.call(this, options);
};
const { Worker } = worker;
worker.Worker = class extends Worker {
  constructor(file, options) {
    record('thread ' + file);
    super(file, options);
  }
};
syncBuiltinESMExports();
const { setTimeout } = globalThis;
globalThis.setTimeout = (call, ms, ...rest) => setTimeout(call, ms < 1_000 ? ms : 2 ** 31 - 1, ...rest);
`;

/** Runs the program from source, and returns what it loads and starts. */
async function loadedBy(script: Script): Promise<string[]> {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script });
  const recorder = join(bench.root, 'recorder.mjs');
  const loaded = join(bench.root, 'loaded.txt');
  await writeFile(recorder, RECORDER);
  const { code, stdout, stderr } = await bench.run(
    ['run', 'Say done.', '--json', '--sandbox', 'local', ...flags],
    {
      env: { NODE_OPTIONS: `--import=${recorder}`, LOADED: loaded },
      fromSource: true,
    },
  );
  expect(code, stdout + stderr).toBe(0);
  return (await readFile(loaded, 'utf8')).trimEnd().split('\n');
}

/** What a run needs only for a tool, another provider, another sandbox, a stored session or a project's own files. */
const HEAVY = {
  'clients of other providers':
    /@ai-sdk\/(?!openai-compatible|provider)|@anthropic-ai\/|node_modules\/openai\//,
  'native drivers': /drivers\/src\/(?:anthropic|openai|native)\/.*-model\.ts/,
  'the client of Docker': /dockerode|docker-modem|ssh2/,
  'recording of files': /packages\/files\/src/,
  'search in files': /ripgrep-(?:process|search)\.ts|plain-search\.ts|line-matcher-worker/,
  'differences of texts': /node_modules\/diff\//,
  tokenizers: /gpt-tokenizer|llama.*-tokenizer|\/(?:vocabulary|tokenizer-worker)\.ts/,
  'trust in a project': /project-trust\.ts|trust\/wants\.ts|settle-trust\.ts/,
  'checks of stored rows': /protocol\/src\/schemas\.ts/,
  PostgreSQL: /storage\/src\/postgres|node_modules\/pg\/|drizzle-orm\/(?:node-postgres|pg-core)/,
  telemetry: /@opentelemetry\/(?:sdk|exporter|resources)/,
  'readers of YAML, Markdown, pictures and broken JSON': /node_modules\/(?:yaml|marked|jsonrepair)\/|photon/,
  'the watchdog of the main thread': /watchdog-thread\.ts/,
} satisfies Record<string, RegExp>;

const heavyOf = (loaded: readonly string[]) =>
  Object.entries(HEAVY)
    .map(([name, pattern]) => [name, ...loaded.filter((line) => pattern.test(line))])
    .filter((found) => found.length > 1);

it('loads no heavy module and starts no thread and no program for a short answer', async () => {
  const loaded = await loadedBy(() => 'Done.');
  expect(heavyOf(loaded)).toEqual([]);
  expect(loaded.filter((line) => !line.startsWith('module '))).toEqual([]);
  // What such a run needs is in the list, so the list is one of this run.
  for (const needed of ['@ai-sdk/openai-compatible', 'drizzle-orm/node-sqlite', 'executor/turn-executor.ts'])
    expect(loaded.filter((line) => line.includes(needed))).not.toEqual([]);
});

it('finds what a run with tool calls loads and starts', async () => {
  const loaded = await loadedBy(({ messages }) =>
    hasToolCall(messages, 'grep') ? 'Done.' : { toolCalls: [{ name: 'grep', arguments: { pattern: 'x' } }] },
  );
  expect(heavyOf(loaded).map(([name]) => name)).toEqual(
    expect.arrayContaining(['recording of files', 'search in files', 'the watchdog of the main thread']),
  );
  expect(loaded.filter((line) => line.startsWith('thread '))).not.toEqual([]);
});
