import type { ReplayMethod } from '../method.ts';
import { tokensOf } from '../recorded-session.ts';
import { firstUserEvent, tailStart } from './dropped-tail.ts';

/**
 * When the view exceeds the share `from` of the window, keeps the first user message and the newest events within the
 * share `keep`.
 */
export function dropOldest({ from, keep }: { from: number; keep: number }): ReplayMethod {
  return {
    name: `drop-oldest-${Math.round(from * 100)}-${Math.round(keep * 100)}`,
    start({ events }, { windowTokens }) {
      let start = 0;
      return {
        async viewBefore({ firstEvent: end }) {
          const first = firstUserEvent(events);
          const viewFrom = (begin: number) => [
            ...(first !== -1 && first < begin ? events.slice(first, first + 1) : []),
            ...events.slice(begin, end),
          ];
          if (tokensOf(viewFrom(start)) > from * windowTokens) {
            const tokensAt = (index: number) => events[index]?.tokens ?? 0;
            start = tailStart(events, { end, maxTokens: keep * windowTokens, tokensAt });
          }
          return { view: viewFrom(start) };
        },
      };
    },
  };
}
