import type { Resync } from '@longhaul/protocol/api';

/** A reader of SSE frames. Sending never waits: a reader that does not keep up is disconnected. */
export interface FrameReader {
  readonly isClosed: boolean;
  /** Number of sent bytes that the reader has not received yet. */
  readonly waitingBytes: number;
  /** @param frame One complete SSE event. */
  send(frame: string): void;
  /** Sends a comment if nothing was sent for `intervalMs`. */
  heartbeat(now: number, intervalMs: number): void;
  /** Resolves when the sent data has been flushed or the reader has disconnected. */
  drained(): Promise<void>;
  end(reason: Resync['reason']): void;
}
