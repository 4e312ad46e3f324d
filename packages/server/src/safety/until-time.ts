/** Decides whether a time is over. */
export interface UntilTime {
  /** @param time Milliseconds since 1970. Undefined: it never comes. */
  isOver(time: number | undefined): boolean;
}

/**
 * Creates a clock that decides whether a time is over. If the clock of the system is set back, times that are over stay
 * over while the process runs. A wrong time in the future has no effect once it is corrected.
 *
 * @param clocks.now The clock of the system. @param clocks.steady One that nobody can set.
 */
export function untilTime(
  clocks: { now: () => number; steady: () => number } = { now: Date.now, steady: () => performance.now() },
): UntilTime {
  const origin = clocks.now() - clocks.steady();
  return {
    isOver: (time) => time !== undefined && Math.max(clocks.now(), origin + clocks.steady()) >= time,
  };
}
