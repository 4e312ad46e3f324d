import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const PROGRAM = fileURLToPath(new URL('terminal.py', import.meta.url));

/** `terminal.py` describes the steps. */
export type TerminalStep =
  | readonly ['until' | 'elapsed' | 'type', string]
  | readonly ['echoes' | 'rest' | 'cpu', number]
  | readonly ['memory'];

export interface TerminalRun {
  command: readonly string[];
  cwd: string;
  env: NodeJS.ProcessEnv;
  steps: readonly TerminalStep[];
}

/** Runs a command in a pseudo-terminal of 100 × 30, and returns a result for each step. It needs Linux and Python. */
export async function runInTerminal({ env, ...run }: TerminalRun): Promise<(number | number[] | null)[]> {
  const child = spawn('python3', [PROGRAM], { env, stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(JSON.stringify({ ...run, columns: 100, rows: 30 }));
  const output = await text(child.stdout);
  if (output === '') throw new Error(`${run.command.join(' ')} did not take its steps.`);
  return JSON.parse(output) as (number | number[] | null)[];
}
