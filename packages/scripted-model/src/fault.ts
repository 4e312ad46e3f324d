/**
 * What goes wrong, on demand. `afterChunks` counts the chunks that are sent before it (default: half of them, at least the first).
 * A refused connection is the caller's business: close the server.
 */
export type Fault =
  /** An error instead of an answer: 429, 500, 529… */
  | { kind: 'status'; status: number; retryAfterMs?: number; message?: string; code?: string }
  /** The socket is destroyed in the middle of the answer. */
  | { kind: 'cut'; afterChunks?: number }
  /** The body ends in good order, but early: no finish reason, no usage, no `[DONE]`. */
  | { kind: 'clean-cut'; afterChunks?: number }
  /** One chunk is broken JSON; the rest of the answer follows. */
  | { kind: 'malformed-chunk'; afterChunks?: number }
  /** An `error` event, as OpenAI, vLLM and OpenRouter send it once the status line is gone; then the end. */
  | { kind: 'error-event'; afterChunks?: number; message?: string }
  /** The headers (and `afterChunks` chunks, default none), then nothing until the client or the server closes. */
  | { kind: 'silence'; afterChunks?: number }
  /** Every chunk waits this long. */
  | { kind: 'slow'; delayMs: number };

export type StatusFault = Extract<Fault, { kind: 'status' }>;
export type StreamFault = Exclude<Fault, StatusFault>;

/** How many of `total` chunks leave before the fault. */
export function chunksBefore(fault: { kind: Fault['kind']; afterChunks?: number }, total: number): number {
  const byDefault = fault.kind === 'silence' ? 0 : Math.max(1, Math.floor(total / 2));
  return Math.min(fault.afterChunks ?? byDefault, total);
}
