import { readdirSync, readFileSync } from 'node:fs';

/** The ids of the processes whose command line contains the text. Zombies have none. Needs /proc. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(text);
    } catch {
      return false; // It has ended in the meantime.
    }
  });
}
