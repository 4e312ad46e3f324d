import type { RecordedEvent } from '../recorded-session.ts';

/** The event that dropping the oldest never drops. */
export function firstUserEvent(events: readonly RecordedEvent[]): number {
  return events.findIndex((event) => event.kind === 'user');
}

export interface TailOptions {
  /** Behind the newest event. */
  end: number;
  maxTokens: number;
  tokensAt: (event: number) => number;
}

/** Where the newest events that fit start, moved forward past results whose calls would be gone. */
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
