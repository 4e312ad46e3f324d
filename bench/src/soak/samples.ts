/** What the agent's process prints. */
export interface SoakSample {
  requests: number;
  compactions: number;
  /** Processor time from each request to the next since the last sample: everything but the model's own time. */
  requestCpuMs: number[];
  /** After a garbage collection. */
  rssBytes: number;
  /** JavaScript's own memory after a garbage collection. */
  liveBytes: number;
  /** Peak since the start of the process. */
  peakBytes: number;
}

/** The compactions at which the two measured tenths begin and end. What is before the first one warms up. */
export function measuredAt(compactions: number): number[] {
  return [0.05, 0.15, 0.9, 1].map((share) => Math.round(share * compactions));
}
