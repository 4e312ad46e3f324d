/** Milliseconds that the work took of the processor: what else the machine has to do is not in it, as it is in the time that passed. */
export function cpuMillisecondsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
