import type { RecordedEvent, ReplayMethod, Segment } from '@longhaul/replay';
import { segmentOf, tokensOf } from '@longhaul/replay';

/** A rule acts when the view exceeds this share of the window. */
const TRIGGER = 0.8;
/** Dropping keeps this share of the window. */
const KEEP = 0.3;

const PLACEHOLDER = '[Old tool result content cleared]';

/**
 * Over 80 % of the window, keeps the first user message and the last 10 messages, or more so that a result keeps its
 * call.
 */
export const keepLastTen: ReplayMethod = {
  name: 'keep-last-10',
  start({ events, messages }, { windowTokens }) {
    const first = events.findIndex((event) => event.kind === 'user');
    let start = 0;
    const viewTo = (end: number): Segment[] => [
      ...(first >= 0 && first < start ? events.slice(first, first + 1) : []),
      ...events.slice(start, end),
    ];
    return {
      async viewBefore({ firstEvent: end, messageIndex }) {
        if (tokensOf(viewTo(end)) > TRIGGER * windowTokens) {
          const oldest = Math.max(0, Math.min(messageIndex, messages.length) - 10);
          start = events.findIndex((event) => event.messageIndex >= oldest);
        }
        return { view: viewTo(end) };
      },
    };
  },
};

/**
 * Replaces outputs older than the newest 40,000 output tokens with placeholders if that frees 20,000 tokens. In a small
 * window, these numbers are 20 % and 10 % of it. If the view still exceeds 80 % of the window, drops the oldest
 * messages and keeps 30 %.
 */
export const pruneThenDrop: ReplayMethod = {
  name: 'prune-40k-20k-then-drop',
  start({ events }, { windowTokens }) {
    const protect = Math.min(40_000, windowTokens * 0.2);
    const minimum = Math.min(20_000, windowTokens * 0.1);
    const first = events.findIndex((event) => event.kind === 'user');
    const shown: Segment[] = [];
    let start = 0;
    const viewTo = (end: number): Segment[] => {
      for (const event of events.slice(shown.length, end)) shown.push(event);
      return [
        ...(first >= 0 && first < start ? shown.slice(first, first + 1) : []),
        ...shown.slice(start, end),
      ];
    };
    return {
      async viewBefore({ firstEvent: end }) {
        viewTo(end);
        prune(shown, events, { start, protect, minimum });
        if (tokensOf(viewTo(end)) > TRIGGER * windowTokens) start = tailStart(shown, KEEP * windowTokens);
        return { view: viewTo(end) };
      },
    };
  },
};

function prune(
  shown: Segment[],
  events: readonly RecordedEvent[],
  { start, protect, minimum }: { start: number; protect: number; minimum: number },
): void {
  const targets: { index: number; segment: Segment }[] = [];
  let seen = 0;
  let saved = 0;
  for (let index = shown.length - 1; index >= start; index -= 1) {
    const segment = shown[index];
    if (segment?.kind !== 'result' || segment !== events[index]) continue;
    seen += segment.tokens;
    const placeholder = segmentOf('result', PLACEHOLDER, segment.args);
    if (seen <= protect || placeholder.tokens >= segment.tokens) continue;
    targets.push({ index, segment: placeholder });
    saved += segment.tokens - placeholder.tokens;
  }
  if (saved >= minimum) for (const { index, segment } of targets) shown[index] = segment;
}

function tailStart(shown: readonly Segment[], maxTokens: number): number {
  let start = shown.length;
  let tokens = 0;
  while (start > 0 && tokens + (shown[start - 1]?.tokens ?? 0) <= maxTokens) {
    start -= 1;
    tokens += shown[start]?.tokens ?? 0;
  }
  while (start < shown.length && shown[start]?.kind === 'result') start += 1;
  return start;
}
