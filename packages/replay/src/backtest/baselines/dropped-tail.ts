import type { RecordedEvent } from '../recorded-session.ts';

/** Index of the first user event, which is never dropped; -1 if there is none. */
export function firstUserEvent(events: readonly RecordedEvent[]): number {
  return events.findIndex((event) => event.kind === 'user');
}

export interface TailOptions {
  /** Index after the newest event. */
  end: number;
  maxTokens: number;
  tokensAt: (event: number) => number;
}

/**
 * Returns the index at which the newest events that fit start. The tail never starts with a result, whose call would be
 * missing.
 */
export function tailStart(
  events: readonly RecordedEvent[],
  { end, maxTokens, tokensAt }: TailOptions,
): number {
  let start = end;
  let tokens = 0;
  while (start > 0 && tokens + tokensAt(start - 1) <= maxTokens) {
    start -= 1;
    tokens += tokensAt(start);
  }
  while (start < end && events[start]?.kind === 'result') start += 1;
  return start;
}
