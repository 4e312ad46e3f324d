import { execFile } from 'node:child_process';
import type { Check } from './check.ts';

const TIMEOUT_MS = 10_000;

export function checkNode(): Check {
  return { name: 'node', status: 'ok', detail: `${process.version}, ${process.execPath}` };
}

export function checkGit(): Promise<Check> {
  return checkProgram('git', 'git', 'Install git, which the agent often uses: `apt install git`');
}

export function checkRipgrep(): Promise<Check> {
  return checkProgram('ripgrep', 'rg', 'Install ripgrep for faster searches: `apt install ripgrep`');
}

function checkProgram(name: string, program: string, remedy: string): Promise<Check> {
  return new Promise((resolve) => {
    execFile(program, ['--version'], { timeout: TIMEOUT_MS }, (error, stdout) => {
      if (error === null) resolve({ name, status: 'ok', detail: stdout.split('\n')[0] ?? program });
      else
        resolve({ name, status: 'missing', detail: `${program} is not installed, or does not run`, remedy });
    });
  });
}
