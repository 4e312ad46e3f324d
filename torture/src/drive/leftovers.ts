import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Returns processes of the session's commands that are still running after `patienceMs`. Their arguments contain the
 * session's mark.
 */
export async function findLeftovers(mark: string, patienceMs = 60_000): Promise<string[]> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const found = readdirSync('/proc').filter(
      (name) => /^\d+$/.test(name) && argumentsOf(name).includes(`900.${mark}`),
    );
    if (found.length === 0 || performance.now() >= deadline)
      return found.map((pid) => `${pid}: ${argumentsOf(pid)}`);
    await sleep(50);
  }
}

function argumentsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process has ended in the meantime.
    return '';
  }
}
