import { factsIn } from '../facts.ts';
import type { ReplayMethod } from '../method.ts';
import { type RecordedEvent, type Segment, segmentOf, tokensOf } from '../recorded-session.ts';
import { firstUserEvent, tailStart } from './dropped-tail.ts';

/** Shares of the window, as in `drop-oldest-80-30`. */
const DROP_FROM = 0.8;
const DROP_KEEP = 0.3;

/** Share of the list for recent calls, and the most characters of one call. */
const CALLS_SHARE = 0.1;
const CALL_CHARS = 160;

/** Names in arguments are needed again more often than names in outputs. */
const WEIGHTS: Readonly<Record<Segment['kind'], number>> = { call: 10, user: 5, assistant: 3, result: 1 };

/** Drops the oldest events and replaces them by a list of recent calls and of identifiers from the dropped events. */
export function dropWithList(listTokens: number): ReplayMethod {
  return {
    name: `drop-with-list-${listTokens / 1000}k`,
    start({ events }, { windowTokens }) {
      const first = firstUserEvent(events);
      const tokensAt = (index: number) => events[index]?.tokens ?? 0;
      let start = 0;
      let list: Segment[] = [];
      const viewTo = (end: number): Segment[] => [
        ...(first !== -1 && first < start ? events.slice(first, first + 1) : []),
        ...list,
        ...events.slice(start, end),
      ];
      return {
        async viewBefore({ firstEvent: end }) {
          if (tokensOf(viewTo(end)) > DROP_FROM * windowTokens) {
            start = tailStart(events, { end, maxTokens: DROP_KEEP * windowTokens, tokensAt });
            list = [segmentOf('user', listOf(events.slice(0, start), listTokens * 4))];
          }
          return { view: viewTo(end) };
        },
      };
    },
  };
}

function listOf(dropped: readonly RecordedEvent[], maxChars: number): string {
  const calls = within(
    dropped
      .filter((event) => event.kind === 'call')
      .reverse()
      .map((event) => event.text.slice(0, CALL_CHARS)),
    { maxChars: maxChars * CALLS_SHARE, separator: '\n' },
  );
  const facts = within(rankedFacts(dropped), { maxChars: maxChars - calls.length - 1, separator: '\n' });
  return `${calls}\n${facts}`;
}

/**
 * Sorts by frequency. The newest mention counts twice as much as the oldest, and short names are preferred to long
 * ones.
 */
function rankedFacts(events: readonly RecordedEvent[]): string[] {
  const scores = new Map<string, number>();
  for (const [index, event] of events.entries()) {
    const weight = WEIGHTS[event.kind] * (1 + index / events.length);
    for (const fact of factsOf(event)) scores.set(fact, (scores.get(fact) ?? 0) + weight);
  }
  return [...scores]
    .map(([fact, score]) => ({ fact, score: score / Math.sqrt(fact.length) }))
    .sort((left, right) => right.score - left.score)
    .map(({ fact }) => fact);
}

/** A dropped event is in the list after every later drop. The cache searches its text once. */
const knownFacts = new WeakMap<RecordedEvent, ReadonlySet<string>>();

function factsOf(event: RecordedEvent): ReadonlySet<string> {
  const known = knownFacts.get(event);
  if (known !== undefined) return known;
  const facts = factsIn(event.text);
  knownFacts.set(event, facts);
  return facts;
}

function within(items: readonly string[], limits: { maxChars: number; separator: string }): string {
  const kept: string[] = [];
  let chars = 0;
  for (const item of items) {
    chars += item.length + limits.separator.length;
    if (chars > limits.maxChars) break;
    kept.push(item);
  }
  return kept.join(limits.separator);
}
