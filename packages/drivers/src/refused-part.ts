import type { ContentRefusal, ViewMessage } from '@longhaul/context/engine';
import { isObject, type JsonValue, LonghaulError, parseJson } from '@longhaul/protocol';
import { createCallIds } from './call-ids.ts';
import { mediaData } from './media/media-parts.ts';
import type { CallIdForm } from './wire-profile.ts';

export interface RefusedPlace {
  /** The body of the refused request. */
  body: string;
  /** For example `messages.7.content.1.image`. */
  path: string;
  /** The view that the body was made from. */
  messages: readonly ViewMessage[];
  callIds: CallIdForm;
}

type Named = NonNullable<ContentRefusal['named']>;

/** Adds the part of the view that a refusal names to its error. `body` is undefined if no request was sent. */
export function withRefusedPart(
  error: LonghaulError,
  { body, messages, callIds }: Omit<RefusedPlace, 'body' | 'path'> & { body: string | undefined },
): LonghaulError {
  const { content } = error.data;
  if (!isObject(content)) return error;
  const { path } = content;
  if (typeof path !== 'string' || body === undefined) return error;
  const named = findRefusedPart({ body, path, messages, callIds });
  if (named === undefined) return error;
  const { code, message, cause, data } = error;
  return new LonghaulError(code, message, {
    cause,
    data: { ...data, content: { ...content, named: { ...named } } },
  });
}

/**
 * Finds the part of the view that a refusal names by its place in the body. Undefined if it cannot be found.
 *
 * A wire form joins and splits messages. So the value at the place is read from the body, and the part is recognised by
 * what is unique in it: the id of a call, the bytes of a file, a text.
 */
export function findRefusedPart({ body, path, messages, callIds }: RefusedPlace): Named | undefined {
  const parts = recognisable(messages, callIds);
  for (const value of valuesAt(body, path)) {
    const found = partIn(value, parts);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What a part can be recognised by. */
interface Recognisable extends Named {
  callId?: string;
  /** Google's calls have no ids. */
  input?: string | undefined;
  text?: string;
  data?: string;
}

function recognisable(messages: readonly ViewMessage[], form: CallIdForm): Recognisable[] {
  const callIds = createCallIds(form);
  return messages.flatMap((message, at) =>
    message.content.flatMap((part, index): Recognisable[] => {
      const place = { message: at, part: index };
      if (part.type === 'text') return [{ ...place, isMedia: false, text: part.text }];
      if (part.type === 'image' || part.type === 'file')
        return [{ ...place, isMedia: true, data: mediaData(part) }];
      if (part.type === 'reasoning') return [];
      const media = part.output.flatMap((content) =>
        content.type === 'text' ? [] : [{ ...place, isMedia: true, data: mediaData(content) }],
      );
      const texts = part.output.flatMap((content) =>
        content.type === 'text' ? [{ ...place, isMedia: false, text: content.text }] : [],
      );
      const call = { ...place, isMedia: false, callId: callIds(part.callId), input: keyOf(part.input) };
      return [...media, call, ...texts];
    }),
  );
}

/** Returns the value at the place, then the values around it up to its message. */
function valuesAt(body: string, path: string): JsonValue[] {
  const values: JsonValue[] = [];
  let value: JsonValue | undefined = parseJson(body);
  for (const key of path.split(/[.[\]]+/).filter((each) => each !== '')) {
    // Anthropic adds the kind of a block to its place: `content.1.image.source`.
    const inner = childOf(value, key);
    if (inner === undefined) continue;
    value = inner;
    values.unshift(value);
  }
  // The list of all messages does not name a part.
  return values.slice(0, -1);
}

function childOf(value: JsonValue | undefined, key: string): JsonValue | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (Array.isArray(value)) return value[Number(key)];
  return Object.hasOwn(value, key) ? value[key] : undefined;
}

/** Media come first: they are refused more often than the call or the text beside them. */
function partIn(value: JsonValue, parts: readonly Recognisable[]): Named | undefined {
  const strings = new Set(stringsIn(value));
  const data = new Set([...strings].map(withoutHeader));
  const texts = [...strings].filter((text) => text.trim() !== '');
  const inputs = new Set(objectsIn(value).map(keyOf));
  const found =
    parts.findLast((part) => part.data !== undefined && data.has(part.data)) ??
    parts.findLast((part) => part.callId !== undefined && strings.has(part.callId)) ??
    parts.findLast((part) => part.input !== undefined && inputs.has(part.input)) ??
    parts.findLast((part) => part.text !== undefined && isIn(part.text, texts));
  if (found === undefined) return undefined;
  const { message, part, isMedia } = found;
  return { message, part, isMedia };
}

/** Neighbouring texts may be joined, and lone surrogates are replaced. */
function isIn(text: string, texts: readonly string[]): boolean {
  const sent = text.toWellFormed();
  return sent.trim() !== '' && texts.some((each) => each.includes(sent));
}

/** Ids are values of their own; the name of a tool or the kind of a block never equals one. */
function stringsIn(value: JsonValue): string[] {
  if (typeof value === 'string') return [value];
  if (typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap(stringsIn);
}

function objectsIn(value: JsonValue): JsonValue[] {
  if (typeof value !== 'object' || value === null) return [];
  return [value, ...Object.values(value).flatMap(objectsIn)];
}

/** Returns undefined for arguments that many calls have. */
function keyOf(input: JsonValue): string | undefined {
  const key = JSON.stringify(input);
  return key === '{}' ? undefined : key;
}

function withoutHeader(text: string): string {
  return text.startsWith('data:') ? text.slice(text.indexOf(',') + 1) : text;
}
