/**
 * Returns the processor time of `work` in milliseconds. Unlike elapsed time, it leaves out the machine's other work.
 */
export function cpuMillisecondsOf(work: () => unknown): number {
  const before = process.threadCpuUsage();
  work();
  const { user, system } = process.threadCpuUsage(before);
  return (user + system) / 1_000;
}
