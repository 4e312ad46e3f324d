import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface ProgramResult {
  code: number | null;
  output: string;
}

/**
 * Runs a program to its end and collects its output. `code` is null if the program cannot be started or is killed by a
 * signal.
 */
export function runProgram(
  program: string,
  args: readonly string[],
  options: { env?: Record<string, string>; uid?: number } = {},
): Promise<ProgramResult> {
  const { env = {}, uid } = options;
  return new Promise((resolve) => {
    const child = spawn(program, args, {
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
      uid,
    });
    let output = '';
    const collect = (chunk: Buffer) => {
      output += chunk.toString();
    };
    child.stdout.on('data', collect);
    child.stderr.on('data', collect);
    child.on('error', (error) => resolve({ code: null, output: error.message }));
    child.on('close', (code) => resolve({ code, output }));
  });
}

/** Mounts an in-memory file system of the given size. Returns undefined if this user may not mount one. */
export async function smallDisk(megabytes: number): Promise<SmallDisk | undefined> {
  const path = await mkdtemp(join(tmpdir(), 'longhaul-disk-'));
  const { code } = await runProgram('mount', ['-t', 'tmpfs', '-o', `size=${megabytes}m`, 'tmpfs', path]);
  if (code === 0) return new SmallDisk(path);
  await rm(path, { recursive: true });
  return undefined;
}

export class SmallDisk implements AsyncDisposable {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { code, output } = await runProgram('umount', [this.path]);
    if (code !== 0) throw new Error(`Could not unmount ${this.path}: ${output}`);
    await rm(this.path, { recursive: true });
  }
}
