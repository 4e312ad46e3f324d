import type { LonghaulEvent } from '@longhaul/protocol';

/** An event as SSE text. It is created once and sent to all readers. */
export interface Frame {
  /** For readers of one session: the number of the event in its session is the `id`. */
  ofSession: string;
  /** For readers of all sessions: without `id`, because the numbers of several sessions are not in one order. */
  ofAll: string;
}

/** For readers of all sessions: another process has changed the store. */
export const CHANGED_FRAME = 'event: changed\ndata: {}\n\n';

export function toFrame(event: LonghaulEvent, mask: (text: string) => string): Frame {
  const ofAll = `data: ${mask(JSON.stringify(event))}\n\n`;
  const ofSession = event.number === undefined ? ofAll : `id: ${event.number}\n${ofAll}`;
  return { ofSession, ofAll };
}
