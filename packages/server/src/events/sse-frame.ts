import type { LonghaulEvent } from '@longhaul/protocol';

/** An event as readers get it: made once, sent to all of them. */
export interface Frame {
  /** With the event's number in its session as `id`. */
  ofSession: string;
  /** Without: numbers of several sessions are no order. */
  ofAll: string;
}

export function toFrame(event: LonghaulEvent, mask: (text: string) => string): Frame {
  const ofAll = `data: ${mask(JSON.stringify(event))}\n\n`;
  const ofSession = event.number === undefined ? ofAll : `id: ${event.number}\n${ofAll}`;
  return { ofSession, ofAll };
}
