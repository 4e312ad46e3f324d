/**
 * A fault that the server produces. `afterChunks` is the number of chunks before it (default: half of them, at least
 * one). To refuse connections, close the server.
 */
export type Fault =
  /** An error status instead of an answer, such as 429, 500 or 529. */
  | { kind: 'status'; status: number; retryAfterMs?: number; message?: string; code?: string }
  /** The socket is destroyed in the middle of the answer. */
  | { kind: 'cut'; afterChunks?: number }
  /** The body ends early but regularly, without finish reason, usage and `[DONE]`. */
  | { kind: 'clean-cut'; afterChunks?: number }
  /** One chunk is broken JSON; the rest of the answer follows. */
  | { kind: 'malformed-chunk'; afterChunks?: number }
  /** An `error` event and the end, as OpenAI, vLLM and OpenRouter send it after the status line. */
  | { kind: 'error-event'; afterChunks?: number; message?: string }
  /** The headers and `afterChunks` chunks (default: 0), and then nothing until the client or the server closes. */
  | { kind: 'silence'; afterChunks?: number }
  /** A delay before every chunk. */
  | { kind: 'slow'; delayMs: number };

export type StatusFault = Extract<Fault, { kind: 'status' }>;
export type StreamFault = Exclude<Fault, StatusFault>;

/** Returns how many of `total` chunks are sent before the fault. */
export function chunksBefore(fault: { kind: Fault['kind']; afterChunks?: number }, total: number): number {
  const byDefault = fault.kind === 'silence' ? 0 : Math.max(1, Math.floor(total / 2));
  return Math.min(fault.afterChunks ?? byDefault, total);
}
