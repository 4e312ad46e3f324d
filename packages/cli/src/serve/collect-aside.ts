import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

/** It can be killed at any moment, and the next one continues. */
const LONGEST_MS = 10 * 60 * 1_000;

/**
 * Runs `longhaul gc` in a process of its own, because it reads the whole database. Returns the numbers of what it
 * removed.
 *
 * @param args Flags that select the configuration.
 * @throws If it fails or takes longer than ten minutes.
 */
export async function collectAside(
  args: readonly string[],
  { program = process.argv[1] ?? '', env }: { program?: string; env: NodeJS.ProcessEnv },
): Promise<object> {
  const command = [...process.execArgv, program, 'gc', '--yes', '--json', ...args];
  const { stdout } = await promisify(execFile)(process.execPath, command, {
    env,
    timeout: LONGEST_MS,
    maxBuffer: 64 * 1024 * 1024,
  });
  const report: unknown = JSON.parse(stdout);
  return { sessions: countOf(report, 'sessions'), backups: countOf(report, 'backups') };
}

function countOf(report: unknown, key: string): number {
  const list: unknown = typeof report === 'object' && report !== null ? Reflect.get(report, key) : undefined;
  return Array.isArray(list) ? list.length : 0;
}
