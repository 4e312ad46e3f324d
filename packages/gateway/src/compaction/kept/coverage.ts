import type { ChatMessage } from '@longhaul/protocol';
import type { Conversation } from '../conversation/conversation.ts';
import { shortDigest, textDigest } from '../conversation/message-digest.ts';
import type { ConversationLog } from '../engine/conversation-log.ts';
import type { Coverage, KeptCompaction } from './kept-compaction.ts';
import { parseRanges, rangesOf } from './number-ranges.ts';

/** Clients that drop the oldest messages, or change the first ones, send fewer messages than this. */
const MAX_COVERED = 1_024;
/** With less in common, two conversations may be different ones. */
const MIN_MESSAGES = 2;
const MIN_CHARS = 400;
/** Clients that change the beginning of a conversation each turn change these messages, or those of `renews`. */
const MAX_PREAMBLE = 4;

/**
 * Returns the coverage of a new compaction; undefined if it covers fewer than two messages.
 *
 * @param renewed Places of messages that the client renews each turn.
 */
export function coverageOf(
  { compaction, marks }: Pick<KeptCompaction, 'compaction' | 'marks'>,
  { rest }: Conversation,
  { log, renewed }: { log: ConversationLog; renewed: readonly number[] },
): Coverage | undefined {
  const hides = new Set(compaction.hides);
  const spans = log.spans();
  const hidden = spans.flatMap(({ id, start, end }) => (hides.has(id) ? placesOf({ start, end }) : []));
  const end = (hidden.at(-1) ?? -1) + 1;
  const from = Math.max(0, end - MAX_COVERED);
  const marked = marks.map(({ mark }) => spans.find(({ id }) => id === mark.messageId));
  const until = Math.max(end, ...marked.map((span) => span?.end ?? 0));
  if (end < MIN_MESSAGES) return undefined;
  return {
    digests: rest.slice(from, until).map(shortDigest),
    covered: end - from,
    hidden: rangesOf(hidden.filter((place) => place >= from).map((place) => place - from)),
    marks: marked.map((span) => (span?.start ?? -1) - from),
    ...(renewed.length === 0 ? {} : { renews: renewed.map((place) => place - from) }),
  };
}

/** Returns the cache key of the last two covered messages and their owner. */
export function tailKey({ digests, covered }: Pick<Coverage, 'digests' | 'covered'>, owner: string): string {
  return textDigest(`${owner}\n${digests.slice(Math.max(0, covered - MIN_MESSAGES), covered).join(' ')}`);
}

/**
 * Returns the keys to look up, for each possible number of covered messages, the largest first. The last message is
 * never covered.
 */
export function tailKeys({ rest }: Conversation, owner: string): { covered: number; key: string }[] {
  const digests = rest.map(shortDigest);
  return Array.from({ length: Math.max(0, rest.length - MIN_MESSAGES) }, (_, index) => {
    const covered = rest.length - 1 - index;
    return { covered, key: tailKey({ digests, covered }, owner) };
  });
}

/**
 * Converts a compaction for a conversation with another beginning: the client has dropped the oldest messages, or it
 * changes the first ones each turn, for example the time or a map of a repository. The messages from there to the last
 * covered one must be the same. Changed ones are visible, so the model reads them as they are now.
 *
 * Returns undefined if others than the first four messages and those in `renews` differ, or if the messages after them have
 * fewer than 400 characters.
 */
export function movedTo(
  { rest, chain }: Conversation,
  { kept, covered, log }: { kept: KeptCompaction; covered: number; log: ConversationLog },
): KeptCompaction | undefined {
  const { coverage, compaction } = kept;
  if (coverage === undefined) return undefined;
  const offset = coverage.covered - covered;
  const same = rest.map((message, at) => shortDigest(message) === coverage.digests[offset + at]);
  const changed = same.slice(0, covered).flatMap((isSame, at) => (isSame ? [] : [at]));
  const from = (changed.at(-1) ?? -1) + 1;
  const renews = new Set(coverage.renews);
  if (changed.some((at) => at >= MAX_PREAMBLE && !renews.has(offset + at))) return undefined;
  if (covered - from < MIN_MESSAGES) return undefined;
  if (charsOf(rest.slice(from, covered)) < MIN_CHARS) return undefined;
  const hidden = new Set(parseRanges(coverage.hidden).map((place) => place - offset));
  const spans = log.spans();
  const isWhole = ({ start, end }: { start: number; end: number }) => !same.slice(start, end).includes(false);
  const hides = spans.filter(
    (span) => isWhole(span) && placesOf(span).every((at) => at < covered && hidden.has(at)),
  );
  const marks = kept.marks.flatMap(({ mark }, index) => {
    const start = (coverage.marks[index] ?? -1) - offset;
    const span = spans.find((candidate) => candidate.start === start);
    if (span === undefined || !isWhole(span)) return [];
    return [{ mark: { ...mark, messageId: span.id }, chain: chain[span.end - 1] ?? '' }];
  });
  return {
    windowTokens: kept.windowTokens,
    compaction: { ...compaction, hides: hides.map(({ id }) => id) },
    marks,
    renewed: [...new Set([...changed, ...[...renews].map((place) => place - offset)])],
  };
}

function placesOf({ start, end }: { start: number; end: number }): number[] {
  return Array.from({ length: end - start }, (_, index) => start + index);
}

function charsOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => {
    return sum + (typeof content === 'string' ? content : JSON.stringify(content ?? '')).length;
  }, 0);
}
