import type { SequenceSpan } from '@longhaul/core';
import { parseHiddenMessages } from './hidden-messages.ts';

/** A span whose messages are not shown: hidden or reverted. */
interface Break {
  span: SequenceSpan;
  isHidden: boolean;
}

/** After the last message of any session. */
const END: Break = { span: [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER], isHidden: false };

/** Returns the breaks in order. The last one is after all messages. */
export function breaksIn(hidden: readonly SequenceSpan[], reverted: readonly SequenceSpan[]): Break[] {
  const breaks = [
    ...hidden.map((span) => ({ span, isHidden: true })),
    ...reverted.map((span) => ({ span, isHidden: false })),
  ];
  return [...breaks.toSorted((left, right) => left.span[0] - right.span[0]), END];
}

export function withinRanges(ranges: readonly SequenceSpan[], [first, last]: SequenceSpan): SequenceSpan[] {
  return ranges.flatMap((range): SequenceSpan[] => {
    const span: SequenceSpan = [Math.max(first, range[0]), Math.min(last, range[1])];
    return span[0] <= span[1] ? [span] : [];
  });
}

export function readableEntries(hides: string) {
  try {
    return parseHiddenMessages(hides);
  } catch {
    // A damaged row. It is reported when the marks are assembled.
    return [];
  }
}

export function joined(spans: readonly SequenceSpan[]): SequenceSpan[] {
  const found: SequenceSpan[] = [];
  for (const [first, last] of spans.toSorted((left, right) => left[0] - right[0])) {
    const previous = found.at(-1);
    if (previous !== undefined && first <= previous[1] + 1) previous[1] = Math.max(previous[1], last);
    else found.push([first, last]);
  }
  return found;
}

export function without(spans: readonly SequenceSpan[], sequence: number): SequenceSpan[] {
  return spans.flatMap(([first, last]): SequenceSpan[] => {
    if (sequence < first || sequence > last) return [[first, last]];
    const rest: SequenceSpan[] = [
      [first, sequence - 1],
      [sequence + 1, last],
    ];
    return rest.filter((span) => span[0] <= span[1]);
  });
}
