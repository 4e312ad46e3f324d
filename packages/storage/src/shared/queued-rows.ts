import type { QueuedMessage } from '@longhaul/protocol';
import { lostMessage } from './lost-content.ts';
import { isSoundRow } from './row-checksum.ts';

export type QueueRow = {
  sessionId: string;
  id: string;
  content: string;
  queuedAt: number;
  metadata: string | null;
  position: number;
  eventNumber: number;
  checksum: number | null;
};

/** A damaged message is delivered as a line that says so: the run continues, and model and user see the loss. */
export function toQueued(row: QueueRow): QueuedMessage {
  const { id, content, queuedAt, metadata } = row;
  const lost = { id, queuedAt, content: lostMessage() };
  if (!isSoundRow('queue', row)) return lost;
  try {
    const message = { id, content: JSON.parse(content), queuedAt };
    return metadata === null ? message : { ...message, metadata: JSON.parse(metadata) };
  } catch {
    return lost;
  }
}
