import type { ContextNotice } from './compaction/types.ts';
import type { NoticeManner } from './options.ts';

const COMPACTING = '⚙️ Compacting conversation history…';
const COMPACTED = '✅ Context compacted, continuing…';

/** Returns the text of a notice for the user. */
export function noticeOf(notice: ContextNotice): string {
  if (notice.kind === 'compacting') return COMPACTING;
  const messages = notice.kept === 1 ? '1 message' : `${notice.kept} messages`;
  return `${COMPACTED} (kept ${messages}, summary by ${notice.isByModel ? 'the model' : 'facts alone'})`;
}

export function limitNotice(tokens: number, limit: number): string {
  return `⚠️ Context limit exceeded (${tokens}/${limit} tokens). Aborting.`;
}

/** Written before and after a notice: the notice is a paragraph of its own and can be removed exactly. */
const GAP = '\n\n';

/** Returns a notice as text of an answer. If it is not the first text, a gap precedes it. */
export function noticeText(notice: string, { isFirst }: { isFirst: boolean }): string {
  return `${isFirst ? '' : GAP}${notice}${GAP}`;
}

/** Returns a notice as an SSE comment. No client shows it; it keeps the connection alive. */
export function noticeComment(notice: string): string {
  return `: ${notice}\n\n`;
}

/** Returns the delta field that carries notices; undefined if the manner uses none. */
export function deltaField(manner: NoticeManner): 'content' | 'reasoning_content' | undefined {
  if (manner === 'text') return 'content';
  return manner === 'reasoning' ? 'reasoning_content' : undefined;
}

/** Clients drop the selector that makes a symbol colourful, and write three full stops for an ellipsis. */
const ANY = String.raw`(?:⚙️? ?Compacting conversation history(?:…|\.\.\.)|✅️? ?Context compacted, continuing(?:…|\.\.\.)(?: \(kept \d+ messages?, summary by (?:the model|facts alone)\))?|⚠️? ?Context limit exceeded \(\d+\/\d+ tokens\)\. Aborting\.)`;

/** What a client that renders Markdown or HTML writes before and after a paragraph. */
const OPEN = '(?:<(?:p|div|span|em|li)(?: [^<>]*)?>|> ?)*';
const CLOSE = String.raw`(?:<\/(?:p|div|span|em|li)>|<br ?\/?>)*`;

/** Also matches at both ends of a text, where a client may have trimmed white space, and beside thoughts. */
const NOTICES = new RegExp(
  String.raw`(?:\n{1,2}|^|(?<=</?think>)|(?=<(?:p|div)\b))(?:${OPEN}${ANY}${CLOSE}(?:\n{1,2}|\s*$|(?=<)|(?<=>)))+`,
  'g',
);
const MAY_HOLD_NOTICE =
  /Compacting conversation history|Context compacted, continuing|Context limit exceeded \(/;

/** Returns the model's own text: clients send answers back with the notices in them. */
export function withoutNotices(text: string): string {
  return MAY_HOLD_NOTICE.test(text) ? text.replace(NOTICES, '') : text;
}

const ANY_NOTICE = new RegExp(String.raw`${ANY}\s*`, 'g');

/** Removes notices from a whole chat in one text, where each answer follows a name. */
export function chatWithoutNotices(text: string): string {
  return text.replace(ANY_NOTICE, '');
}

/** Whether a body may contain a notice: a fast check before its messages are searched. */
export function mayHoldNotice(body: Buffer): boolean {
  return ASCII_PARTS.some((part) => body.includes(part));
}

/** The ASCII part of each notice: JSON may escape the other characters, as Python does by default. */
const ASCII_PARTS = [
  'Compacting conversation history',
  'Context compacted, continuing',
  'Context limit exceeded (',
].map((part) => Buffer.from(part));
