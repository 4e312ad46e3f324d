/*
 * Writes a tarball with Longhaul, `longhaul-agent` and the Node.js that runs this program: `node bench/agents/tarball.ts FILE`. It runs on the same system and
 * processor with glibc 2.28 or newer, without anything else installed.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CLI = join(ROOT, 'packages', 'cli');

/** Lays out the folder that the tarball contains. */
export function layOutAgent(folder: string): void {
  const bundle = join(CLI, 'bundle', 'main.js');
  if (!existsSync(bundle)) throw new Error(`${bundle} does not exist. Run: npm run build`);
  for (const name of ['bin', 'node/bin', 'lib', 'agent']) mkdirSync(join(folder, name), { recursive: true });
  cpSync(process.execPath, join(folder, 'node', 'bin', 'node'));
  for (const name of ['bin', 'bundle', 'package.json']) {
    cpSync(join(CLI, name), join(folder, 'lib', name), { recursive: true });
  }
  cpSync(join(ROOT, 'LICENSE'), join(folder, 'LICENSE'));
  for (const name of ['main.ts', 'agent-run.ts', 'trajectory.ts']) {
    cpSync(fileURLToPath(new URL(`run/${name}`, import.meta.url)), join(folder, 'agent', name));
  }
  writeFileSync(join(folder, 'agent', 'package.json'), '{ "type": "module" }\n');
  writeLauncher(join(folder, 'bin', 'longhaul'), 'lib/bin/longhaul.js');
  writeLauncher(join(folder, 'bin', 'longhaul-agent'), 'agent/main.ts');
}

/** A launcher works from any folder and through links. */
function writeLauncher(path: string, script: string): void {
  const lines = [
    '#!/bin/sh',
    'self=$(readlink -f "$0") || exit 1',
    'root=$(dirname "$(dirname "$self")")',
    `exec "$root/node/bin/node" "$root/${script}" "$@"`,
  ];
  writeFileSync(path, `${lines.join('\n')}\n`);
  chmodSync(path, 0o755);
}

/** Writes the tarball. Its only folder is `longhaul`. */
export function writeTarball(file: string): void {
  const folder = mkdtempSync(join(tmpdir(), 'longhaul-tarball-'));
  try {
    layOutAgent(join(folder, 'longhaul'));
    mkdirSync(dirname(resolve(file)), { recursive: true });
    execFileSync('tar', ['-czf', resolve(file), '-C', folder, 'longhaul']);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [file = 'longhaul-agent.tar.gz'] = process.argv.slice(2);
  writeTarball(file);
  process.stdout.write(`${resolve(file)}\n`);
}
