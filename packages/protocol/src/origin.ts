import { isObject, type JsonValue } from './json.ts';
import type { Message, MessageOrigin, QueuedMessage } from './message.ts';
import { visibleLine } from './visible.ts';

/** Names in the metadata of a message that only the runtime writes. */
export const ORIGIN_NAMES = ['origin', 'origins'] as const;

const MAX_TITLE_CHARS = 80;

/** Returns undefined if a user wrote the message. */
export function originOf({ metadata }: Pick<QueuedMessage, 'metadata'>): MessageOrigin | undefined {
  return toOrigin(metadata?.['origin']);
}

/** Returns the origins of a stored message, one for each of its messages. Empty if a user wrote it. */
export function originsOf({ metadata }: Pick<Message, 'metadata'>): MessageOrigin[] {
  const origins = metadata?.['origins'];
  return Array.isArray(origins) ? origins.flatMap((each) => toOrigin(each) ?? []) : [];
}

function toOrigin(value: JsonValue | undefined): MessageOrigin | undefined {
  if (!isObject(value)) return undefined;
  const { kind, sessionId, handle, title, hops } = value;
  if ((kind !== 'session' && kind !== 'subtask') || typeof sessionId !== 'string') return undefined;
  return {
    kind,
    sessionId,
    ...(typeof handle === 'string' ? { handle } : {}),
    ...(typeof title === 'string' ? { title } : {}),
    ...(typeof hops === 'number' ? { hops } : {}),
  };
}

/**
 * Whether a message begins a turn: a user wrote it, or another session sent it. Messages of the runtime belong to the
 * turn in which they are.
 */
export function beginsTurn({ role, metadata }: Pick<Message, 'role' | 'metadata'>): boolean {
  return role === 'user' && (metadata?.synthetic === undefined || metadata.synthetic === 'sent');
}

/** Returns who sent a message, for people: `session "Fix the tests"` or `subtask m12.3 "Find the parser"`. */
export function originName({ kind, sessionId, handle, title }: MessageOrigin): string {
  const name = kind === 'session' ? 'session' : `subtask ${visibleLine(handle ?? sessionId)}`;
  const shown = titleOf(title);
  if (shown !== undefined) return `${name} ${shown}`;
  return kind === 'session' ? `session ${visibleLine(sessionId)}` : name;
}

/** Returns the line that precedes the text of a message that no user wrote. */
export function originLine(origin: MessageOrigin): string {
  const { kind, sessionId, handle, title } = origin;
  const id = visibleLine(sessionId);
  const shown = titleOf(title);
  const named = shown === undefined ? '' : ` ${shown}`;
  if (kind === 'session') return `Message from session${named} (${id}), not from the user:`;
  const call = handle === undefined ? '' : ` ${visibleLine(handle)}`;
  return `Result of subtask${call}${named} (session ${id}), not from the user:`;
}

/** Returns the line that follows the text, so that the text cannot go on as if someone else wrote it. */
export function originEnd({ kind, sessionId }: MessageOrigin): string {
  return `End of the ${kind === 'session' ? 'message from' : 'result of'} session ${visibleLine(sessionId)}.`;
}

function titleOf(title: string | undefined): string | undefined {
  if (title === undefined || title.trim() === '') return undefined;
  const line = visibleLine(title.replace(/\s+/g, ' ').trim()).replaceAll('"', "'");
  const chars = [...line];
  return `"${chars.length > MAX_TITLE_CHARS ? `${chars.slice(0, MAX_TITLE_CHARS - 1).join('')}…` : line}"`;
}

/** What is between two words, and before the first: an imitation can be spaced and decorated. */
const GAP = '[^\\p{L}\\p{N}\\n]';
const HEADS = ['message from', 'message from the', 'result of', 'result of the']
  .map((words) => words.replaceAll(' ', `${GAP}+`))
  .join('|');
const IMITATION = new RegExp(
  `^(?=${GAP}*(?:end${GAP}+of${GAP}+the${GAP}+)?(?:${HEADS})${GAP}+(?:session|subtask|user)(?![\\p{L}\\p{N}]))`,
  'gimu',
);

/** What every imitation contains. `IMITATION` takes milliseconds to build, and few texts need it. */
const NEEDED = /message|result/iu;

/** Quotes each line of a text that imitates the line before or after a message that no user wrote. */
export function quoteImitations(text: string): string {
  return NEEDED.test(text) ? text.replace(IMITATION, '> ') : text;
}
