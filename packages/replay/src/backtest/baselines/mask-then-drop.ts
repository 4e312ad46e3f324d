import type { ReplayMethod } from '../method.ts';
import { type RecordedEvent, type Segment, tokensOf } from '../recorded-session.ts';
import { firstUserEvent, tailStart } from './dropped-tail.ts';

/**
 * Shares of the window: newest events that are not masked, least amount to free by masking, when to drop, and what to
 * keep then.
 */
const UNMASKED = 0.4;
const MIN_FREED = 0.2;
const DROP_FROM = 0.9;
const DROP_KEEP = 0.4;

const PLACEHOLDER_TOKENS = 12;
const PLACEHOLDER = '[old output left out]';

/**
 * Replaces old outputs by a placeholder when that frees enough. Drops the oldest events if the view is still too large.
 */
export const maskThenDrop: ReplayMethod = {
  name: 'mask-then-drop',
  start({ events }, { windowTokens }) {
    const shown = new Map<number, Segment>();
    let start = 0;
    const segmentAt = (index: number): Segment | undefined => shown.get(index) ?? events[index];
    const tokensAt = (index: number): number => segmentAt(index)?.tokens ?? 0;
    const viewTo = (end: number): Segment[] => {
      const first = firstUserEvent(events);
      const kept = first !== -1 && first < start ? [first] : [];
      for (let index = start; index < end; index += 1) kept.push(index);
      return kept.flatMap((index) => segmentAt(index) ?? []);
    };
    return {
      async viewBefore({ firstEvent: end }) {
        const keepFrom = tailStart(events, { end, maxTokens: UNMASKED * windowTokens, tokensAt });
        const old = maskable(events, { start, end: keepFrom, tokensAt });
        const freed = old.reduce((sum, index) => sum + tokensAt(index) - PLACEHOLDER_TOKENS, 0);
        if (freed > MIN_FREED * windowTokens)
          for (const index of old) shown.set(index, placeholder(events[index]));
        if (tokensOf(viewTo(end)) > DROP_FROM * windowTokens) {
          start = tailStart(events, { end, maxTokens: DROP_KEEP * windowTokens, tokensAt });
        }
        return { view: viewTo(end) };
      },
    };
  },
};

function maskable(
  events: readonly RecordedEvent[],
  { start, end, tokensAt }: { start: number; end: number; tokensAt: (event: number) => number },
): number[] {
  const found: number[] = [];
  for (let index = start; index < end; index += 1) {
    if (events[index]?.kind === 'result' && tokensAt(index) > PLACEHOLDER_TOKENS) found.push(index);
  }
  return found;
}

function placeholder(event: RecordedEvent | undefined): Segment {
  return { kind: 'result', text: PLACEHOLDER, tokens: PLACEHOLDER_TOKENS, args: event?.args };
}
