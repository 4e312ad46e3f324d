import type { Resync } from '@longhaul/protocol/api';

/** Who is told of events. Told without waiting: whoever does not keep up is let go. */
export interface FrameReader {
  readonly isClosed: boolean;
  /** Of what was sent, so much has not been taken. */
  readonly waitingBytes: number;
  /** @param frame One whole SSE event. */
  send(frame: string): void;
  /** Something to say where nothing was said for long. */
  heartbeat(now: number, intervalMs: number): void;
  /** Done when what was sent is on its way, or the reader has left. */
  drained(): Promise<void>;
  end(reason: Resync['reason']): void;
}
