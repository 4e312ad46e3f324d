import { execFile } from 'node:child_process';
import { findHostProgram } from '@longhaul/core/host-programs';
import { ownRuntime } from '../own-runtime.ts';
import type { Check } from './check.ts';

const TIMEOUT_MS = 10_000;

export function checkRuntime(): Check {
  const { name, version, isSingleFile } = ownRuntime();
  const inside = isSingleFile ? ', inside' : ',';
  return { name, status: 'ok', detail: `${version}${inside} ${process.execPath}` };
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
