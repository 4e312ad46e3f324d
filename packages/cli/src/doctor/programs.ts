import { execFile } from 'node:child_process';
import { findHostProgram } from '@longhaul/core/host-programs';
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
  const path = findHostProgram(program);
  if (path === undefined)
    return Promise.resolve({ name, status: 'missing', detail: `${program} is not installed`, remedy });
  return new Promise((resolve) => {
    execFile(path, ['--version'], { timeout: TIMEOUT_MS }, (error, stdout) => {
      if (error === null) resolve({ name, status: 'ok', detail: stdout.split('\n')[0] ?? program });
      else resolve({ name, status: 'missing', detail: `${path} does not run`, remedy });
    });
  });
}
