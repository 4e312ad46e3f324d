/** Answers each message of the parent with the processor time of this process so far, in milliseconds. */
export function reportWork(): void {
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.((user + system) / 1_000);
  });
}
