import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';
import type { SenderSettings } from '../agent/sender-process.ts';
import type { AgentSettings, CommandSettings } from '../agent/settings.ts';
import { TRUE_TIME_ENVIRONMENT } from '../records/true-time.ts';

export interface Ending {
  code: number | null;
  signal: NodeJS.Signals | null;
  output: string;
  /** The end of its standard error output. */
  errors: string;
}

export interface Child {
  readonly pid: number;
  readonly process: ChildProcess;
  readonly ended: Promise<Ending>;
}

/**
 * Starts one of the programs in `agent` from the sources, with its settings as JSON in its only argument. The sessions of a
 * run share a compile cache; otherwise most of a short life would be spent compiling.
 */
export async function startChild(
  program: string,
  settings: AgentSettings | SenderSettings | CommandSettings,
  env: Readonly<Record<string, string>>,
): Promise<Child> {
  const compiled = join(dirname(settings.folder), 'compiled');
  const path = fileURLToPath(new URL(`../agent/${program}`, import.meta.url));
  const child = spawn(process.execPath, [...FROM_SOURCE, path, JSON.stringify(settings)], {
    stdio: ['pipe', 'pipe', 'pipe'],
    env: { ...process.env, ...TRUE_TIME_ENVIRONMENT, NODE_COMPILE_CACHE: compiled, ...env },
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
  // Waits for `exit`, not `close`: commands that a killed agent leaves behind may keep its pipes open for a while.
  const [code, signal] = await once(child, 'exit');
  return { code, signal, output, errors };
}
