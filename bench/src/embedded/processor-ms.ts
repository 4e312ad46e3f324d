import { readFileSync } from 'node:fs';

const MS_PER_TICK = 10;

/** Time that a process has spent on a processor. It hardly depends on what else the machine does. Zero without `/proc`. */
export function processorMs(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
