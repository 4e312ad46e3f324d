import type { NoticeManner } from './options.ts';

/** What the user is told. */
export const COMPACTING = '⚙️ Compacting conversation history…';
export const COMPACTED = '✅ Context compacted, continuing…';

export function limitNotice(tokens: number, limit: number): string {
  return `⚠️ Context limit exceeded (${tokens}/${limit} tokens). Aborting.`;
}

/** What is written before and after a notice, so that it stands alone and can be taken out again exactly. */
const GAP = '\n\n';

/** A notice in the middle of an answer stands apart from what was said before. */
export function noticeText(notice: string, { isFirst }: { isFirst: boolean }): string {
  return `${isFirst ? '' : GAP}${notice}${GAP}`;
}

/** A notice as an event that no client shows: it only keeps the connection alive. */
export function noticeComment(notice: string): string {
  return `: ${notice}\n\n`;
}

/** The field of a delta in which a notice is written; undefined where it is none. */
export function deltaField(manner: NoticeManner): 'content' | 'reasoning_content' | undefined {
  if (manner === 'text') return 'content';
  return manner === 'reasoning' ? 'reasoning_content' : undefined;
}

/** A client may have trimmed what stood at the ends. */
const NOTICES =
  /(?:\n\n|^)(?:(?:⚙️ Compacting conversation history…|✅ Context compacted, continuing…|⚠️ Context limit exceeded \(\d+\/\d+ tokens\)\. Aborting\.)(?:\n\n|\s*$))+/g;
const MAY_HOLD_NOTICE =
  /⚙️ Compacting conversation history…|✅ Context compacted, continuing…|⚠️ Context limit exceeded \(/;

/** What the model itself said: the client sends its answers back with our notices in them. */
export function withoutNotices(text: string): string {
  return MAY_HOLD_NOTICE.test(text) ? text.replace(NOTICES, '') : text;
}

const ANY_NOTICE =
  /(?:⚙️ Compacting conversation history…|✅ Context compacted, continuing…|⚠️ Context limit exceeded \(\d+\/\d+ tokens\)\. Aborting\.)\s*/g;

/** The same for a whole chat in one text, where each answer stands behind a name. */
export function chatWithoutNotices(text: string): string {
  return text.replace(ANY_NOTICE, '');
}

/** Bytes in which no notice can stand need not be looked at. */
export function mayHoldNotice(body: Buffer): boolean {
  return MARKS.some((mark) => body.includes(mark));
}

/** In JSON they may be written as they are, or as escapes (Python's default). */
const MARKS = [
  'Compacting conversation history',
  'Context compacted, continuing',
  'Context limit exceeded (',
].map((mark) => Buffer.from(mark));
