import type { ChatMessage } from '@longhaul/protocol';
import type { Conversation } from '../conversation/conversation.ts';
import { messageDigest, textDigest } from '../conversation/message-digest.ts';
import type { ConversationLog } from '../engine/conversation-log.ts';
import type { Coverage, KeptCompaction } from './kept-compaction.ts';
import { parseRanges, rangesOf } from './number-ranges.ts';

/** Clients that drop the oldest messages send fewer messages than this. */
const MAX_COVERED = 256;
const DIGEST_CHARS = 12;
/** With less in common, two conversations may be different ones. */
const MIN_MESSAGES = 2;
const MIN_CHARS = 400;
/** Clients that change the beginning of a conversation each turn change this many messages at most. */
const MAX_PREAMBLE = 4;

/** Returns the coverage of a new compaction; undefined if it covers fewer than two messages. */
export function coverageOf(
  { compaction, marks }: Pick<KeptCompaction, 'compaction' | 'marks'>,
  { rest }: Conversation,
  log: ConversationLog,
): Coverage | undefined {
  const hides = new Set(compaction.hides);
  const spans = log.spans();
  const hidden = spans.flatMap(({ id, start, end }) =>
    hides.has(id) ? Array.from({ length: end - start }, (_, index) => start + index) : [],
  );
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
 * Returns undefined if more than `MAX_PREAMBLE` messages differ, or if the others have fewer than 400 characters.
 */
export function movedTo(
  { rest, chain }: Conversation,
  { kept, covered, log }: { kept: KeptCompaction; covered: number; log: ConversationLog },
): KeptCompaction | undefined {
  const { coverage, compaction } = kept;
  if (coverage === undefined) return undefined;
  const offset = coverage.covered - covered;
  const isSame = (start: number, end: number) =>
    rest.slice(start, end).every((message, index) => {
      return shortDigest(message) === coverage.digests[offset + start + index];
    });
  let from = covered;
  while (from > 0 && isSame(from - 1, from)) from -= 1;
  if (from > MAX_PREAMBLE || covered - from < MIN_MESSAGES) return undefined;
  if (charsOf(rest.slice(from, covered)) < MIN_CHARS) return undefined;
  const hidden = new Set(parseRanges(coverage.hidden).map((place) => place - offset));
  const spans = log.spans();
  const hides = spans.filter(({ start, end }) => {
    return Array.from({ length: end - start }, (_, index) => start + index).every(
      (at) => at >= from && hidden.has(at),
    );
  });
  const marks = kept.marks.flatMap(({ mark }, index) => {
    const start = (coverage.marks[index] ?? -1) - offset;
    const span = spans.find((candidate) => candidate.start === start);
    if (span === undefined || !isSame(span.start, span.end)) return [];
    return [{ mark: { ...mark, messageId: span.id }, chain: chain[span.end - 1] ?? '' }];
  });
  const { windowTokens } = kept;
  return { windowTokens, compaction: { ...compaction, hides: hides.map(({ id }) => id) }, marks };
}

function shortDigest(message: ChatMessage): string {
  return messageDigest(message).slice(0, DIGEST_CHARS);
}

function charsOf(messages: readonly ChatMessage[]): number {
  return messages.reduce((sum, { content }) => {
    return sum + (typeof content === 'string' ? content : JSON.stringify(content ?? '')).length;
  }, 0);
}
