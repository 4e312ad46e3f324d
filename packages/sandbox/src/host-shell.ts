import { existsSync } from 'node:fs';
import { arch, type } from 'node:os';
import { basename } from 'node:path';

export interface HostShell {
  path: string;
  /** What a model has to know to write commands for it, such as `Linux x64, bash`. */
  platform: string;
}

/** Returns the shell of this machine that runs commands: bash if it exists, otherwise sh. */
export function hostShell(): HostShell {
  const path = existsSync('/bin/bash') ? '/bin/bash' : '/bin/sh';
  const system = type() === 'Darwin' ? 'macOS' : type();
  return { path, platform: `${system} ${arch()}, ${basename(path)}` };
}

/** bash takes an input that is a socket for a remote login, and would run `~/.bashrc` before the command. */
export function withoutStartFile(shell: string): string[] {
  return shell.endsWith('/bash') ? ['--norc'] : [];
}
