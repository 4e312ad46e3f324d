import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SenderSettings } from '../agent/sender-process.ts';
import type { AgentSettings } from '../agent/settings.ts';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  /** The end of what it wrote to its standard error. */
  errors: string;
}

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly ended: Promise<Ending>;
}

/**
 * Starts one of these programs on the sources, with its settings as JSON in its one argument. The sessions of a run share what was compiled: else
 * most of a short life would be spent on that.
 */
export async function startChild(
  program: string,
  settings: AgentSettings | SenderSettings,
  env: Readonly<Record<string, string>> = {},
): Promise<Child> {
  const compiled = join(dirname(settings.folder), 'compiled');
  const path = fileURLToPath(new URL(`../agent/${program}`, import.meta.url));
  const child = spawn(process.execPath, ['--conditions=longhaul-src', path, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, NODE_COMPILE_CACHE: compiled, ...env },
  });
  const ended = endingOf(child);
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, process: child, ended };
}

async function endingOf(child: ChildProcess): Promise<Ending> {
  let output = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    output = (output + text).slice(-20_000);
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-4_000);
  });
  // Commands that a killed agent leaves behind may hold its pipes for a while: its exit is its end, not theirs.
  const [code, signal] = await once(child, 'exit');
  return { code, signal, output, errors };
}
