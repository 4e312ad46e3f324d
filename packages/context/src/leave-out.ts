import type { OmitMark } from '@longhaul/protocol';
import type { ActiveMarks } from './log.ts';
import { shownPartIndexes, type ViewEntry } from './view.ts';
import type { ViewMessage } from './view-message.ts';

/** What the refusal of a request says about its content. */
export interface ContentRefusal {
  /** `media`: images or files. `part`: the part at `named`. `unknown`: only that the request is not accepted. */
  about: 'media' | 'part' | 'unknown';
  /** The server takes no media of this kind at all, or the request is too large as a whole. */
  isAboutAll?: boolean;
  /** The named part: numbers of its message and of its content in the view. */
  named?: { message: number; part: number; isMedia: boolean };
}

/** The part of a message that is left out, and what of it. */
export type OmitTarget = Pick<OmitMark, 'messageId' | 'partIndex' | 'what'>;

/**
 * Returns what to leave out of a refused request, in the order of the attempts: the newest media, then the named part,
 * or all media if none is named. A named part without media comes first. Empty if the refusal gives no reason to expect
 * that this helps, or if it names a text of a person that has no answer yet: without it, the model would guess its task.
 */
export function attemptsAfterRefusal(
  entries: readonly ViewEntry[],
  marks: ActiveMarks,
  refusal: ContentRefusal,
): OmitTarget[][] {
  const media = entries.flatMap((entry) => mediaOf(entry, marks));
  const newest = media.slice(-1);
  const named = namedPart(entries, marks, refusal.named);
  if (refusal.about === 'unknown') return isNew(newest[0], entries) ? [newest] : [];
  const last = named.length > 0 ? named : refusal.about === 'media' ? media : [];
  const isNamed = refusal.named?.isMedia === false && named.length > 0;
  const attempts = refusal.isAboutAll === true ? [last] : isNamed ? [named, newest] : [newest, last];
  return attempts.filter((attempt, index) => attempt.length > 0 && !isSame(attempt, attempts[index - 1]));
}

function mediaOf({ message, source }: ViewEntry, marks: ActiveMarks): OmitTarget[] {
  if (source === undefined) return [];
  return shownPartIndexes(source, marks).flatMap((partIndex, index) =>
    isMedia(message, index) ? [{ messageId: source.id, partIndex, what: 'media' as const }] : [],
  );
}

function isMedia({ content }: ViewMessage, index: number): boolean {
  const part = content[index];
  if (part?.type === 'tool') return part.output.some(({ type }) => type !== 'text');
  return part?.type === 'image' || part?.type === 'file';
}

function namedPart(
  entries: readonly ViewEntry[],
  marks: ActiveMarks,
  named: ContentRefusal['named'],
): OmitTarget[] {
  const entry = named === undefined ? undefined : entries[named.message];
  if (named === undefined || entry?.source === undefined) return [];
  const partIndex = shownPartIndexes(entry.source, marks)[named.part];
  if (partIndex === undefined) return [];
  const target = { messageId: entry.source.id, partIndex, what: named.isMedia ? 'media' : 'all' } as const;
  const isText = entry.message.content[named.part]?.type === 'text';
  return entry.source.role === 'user' && isText && isNew(target, entries) ? [] : [target];
}

/** Whether no answer has followed it: a request with it has never been accepted. */
function isNew(target: OmitTarget | undefined, entries: readonly ViewEntry[]): boolean {
  const place = entries.findIndex(({ source }) => source?.id === target?.messageId);
  const lastAnswer = entries.findLastIndex(({ message }) => message.role === 'assistant');
  return target !== undefined && place >= lastAnswer;
}

function isSame(one: readonly OmitTarget[], other: readonly OmitTarget[] | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}
