import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { LonghaulError } from '@longhaul/protocol';
import { z } from 'zod';
import type { ScriptedModelStats } from './journal.ts';
import type { ScriptedModelServerOptions } from './server.ts';

export interface ScriptedModelProcessOptions
  extends Omit<ScriptedModelServerOptions, 'script' | 'countTokens' | 'keepBodies'> {
  /** URL of a module that exports `script`. */
  scriptModule: string | URL;
}

/** A scripted model server in its own process, so that the tokenizer does not use the caller's memory. */
export interface ScriptedModelProcess extends AsyncDisposable {
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  readonly model: string;
  stats(): Promise<ScriptedModelStats>;
  /** Resolves when the process has exited. */
  close(): Promise<void>;
}

/**
 * Starts the server in a child process. The child exits after `close`, and when this process exits for any reason.
 *
 * @throws {LonghaulError} `invalid_request` if the script cannot be loaded or the server cannot listen, with the
 * child's error output.
 */
export async function startScriptedModelProcess(
  options: ScriptedModelProcessOptions,
): Promise<ScriptedModelProcess> {
  const child = spawnServer(options);
  const exited = once(child, 'exit');
  // A write to a process that has exited is ignored here. The caller notices, because no answer line follows.
  child.stdin?.on('error', () => {});
  const lines = linesOf(child);
  const ready = readySchema.safeParse(await lines.next());
  if (!ready.success) {
    await exited;
    throw new LonghaulError('invalid_request', `The scripted model server did not start:\n${lines.errors()}`);
  }
  const close = async () => {
    child.stdin?.end();
    await exited;
  };
  return {
    ...ready.data,
    async stats() {
      child.stdin?.write('stats\n');
      const line = await lines.next();
      if (line !== undefined) return statsSchema.parse(line);
      throw new LonghaulError('internal', `The scripted model server has ended:\n${lines.errors()}`);
    },
    close,
    [Symbol.asyncDispose]: close,
  };
}

const readySchema = z.object({ url: z.string(), port: z.number(), pid: z.number(), model: z.string() });

const statsSchema = z.object({
  requests: z.number(),
  overflows: z.number(),
  promptTokens: z.number(),
  cachedTokens: z.number(),
  completionTokens: z.number(),
});

/** In a checkout this file is TypeScript, so the child runs TypeScript too, with the condition `longhaul-src`. */
function spawnServer({ scriptModule, journalFile, ...options }: ScriptedModelProcessOptions): ChildProcess {
  const isSource = import.meta.url.endsWith('.ts');
  const entry = new URL(isSource ? './process-entry.ts' : './process-entry.js', import.meta.url);
  const condition = isSource ? ['--conditions=longhaul-src'] : [];
  const settings = JSON.stringify({
    ...options,
    scriptModule: String(scriptModule),
    journalFile: journalFile === undefined ? undefined : resolve(journalFile),
  });
  return spawn(process.execPath, [...condition, fileURLToPath(entry), settings], {
    // In the current folder, Bun would read the settings of a project.
    cwd: dirname(process.execPath),
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

interface Lines {
  /** Returns the next printed line, parsed as JSON, or undefined after the last one. */
  next(): Promise<unknown>;
  /** Returns the end of its error output. */
  errors(): string;
}

function linesOf(child: ChildProcess): Lines {
  if (child.stdout === null || child.stderr === null) throw new Error('The process has no pipes.');
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4000);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async next() {
      const line = await lines.next();
      return line.done === true ? undefined : JSON.parse(line.value);
    },
    errors: () => errors,
  };
}
