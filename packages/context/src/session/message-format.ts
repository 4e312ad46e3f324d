import type { FilePart, JsonValue, Part, ToolOutputContent } from '@longhaul/protocol';
import type { Media } from '../media/count-media.ts';

/** The content of one of the caller's messages, in this package's terms. */
export type MessageReading =
  | { role: 'system'; text: string }
  /**
   * The parts of a message in order, made with `textPart`, `opaquePart`, `mediaPart` and `callPart`. Everything that is
   * sent must be in a part: what is not read is not counted.
   */
  | {
      role: 'user' | 'assistant';
      parts: Part[];
      /**
       * For a format that divides an answer into several messages, such as reasoning, text and calls. True: an answer
       * that directly precedes this message is the same answer. All of it is then sent or hidden together.
       */
      isContinued?: boolean;
    }
  /** The results of a message that answers calls. */
  | { role: 'tool'; results: ToolAnswer[] };

/** The result of one call. */
export interface ToolAnswer {
  callId: string;
  /** Texts, and media made with `mediaPart`. */
  output: (ToolOutputContent | MediaPart)[];
  isError: boolean;
}

/** The new text of a part or result, or the new arguments of a call. */
export type PartChange = { text: string } | { input: JsonValue };

/** A call without a result. */
export interface OpenCall {
  callId: string;
  name: string;
}

/**
 * Reads and writes messages of one kind. Pure. `M` is the caller's own message type.
 *
 * A reading is validated when its message is appended, and `rewrite` whenever it is used. Test a format with
 * `checkFormat`.
 */
export interface MessageFormat<M> {
  read(message: M): MessageReading;
  /**
   * Returns a copy of a message with some parts changed, by their index in the reading. For a tool message, the index
   * is the result's. Everything else stays the same. Only text parts, the arguments of calls and results are ever
   * changed. A changed result has only this text.
   */
  rewrite(message: M, changes: ReadonlyMap<number, PartChange>): M;
  userMessage(text: string): M;
  assistantMessage(text: string): M;
  toolMessage(call: OpenCall, text: string): M;
  /**
   * For a format whose messages can contain results of calls beside other content. Returns such a message as several
   * ones, each of which `read` accepts, and any other message alone. `append` uses it.
   */
  split?(message: M): readonly M[];
  /**
   * For a format whose servers have rules about neighbours, for example that roles alternate. Returns the messages as
   * they are sent. `fit` uses it last. It must keep all content.
   */
  join?(messages: readonly M[]): M[];
}

/** A part with an image or a file. The request has the caller's own message, so the content is only counted. */
export interface MediaPart extends FilePart {
  media?: Media;
}

/** Creates the part for a text that may be shortened. */
export function textPart(text: string): Part {
  // The view skips empty text parts, but shows an empty notice.
  return text === '' ? opaquePart('') : { type: 'text', text, state: 'done' };
}

/**
 * Creates a part that is counted and never changed: reasoning, calls that the provider ran, and unknown kinds.
 *
 * @param text The text as the model reads it, or its JSON.
 */
export function opaquePart(text: string): Part {
  return { type: 'notice', text, forModel: true };
}

/**
 * Creates the part for an image or a file, for a message or for the output of a tool. It is counted with `countMedia`
 * and never changed, except in an output that is replaced as a whole.
 *
 * @param media What is known about it, or only its media type. `image/*` is an image of unknown kind.
 */
export function mediaPart(media: Media | string): MediaPart {
  const known = typeof media === 'string' ? { mediaType: media } : media;
  return { type: 'file', mediaType: known.mediaType, data: '', media: known };
}

/**
 * Creates the part for a call of a tool. Its result is read from a later tool message with the same id.
 *
 * @param input The arguments. They may be shortened.
 */
export function callPart(call: OpenCall, input: JsonValue): Part {
  return { type: 'tool', callId: call.callId, name: call.name, input, state: 'pending' };
}

export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Returns the own fields of a message of any type. */
export function fieldsOf(message: object): Record<string, unknown> {
  return { ...message };
}

export function stringIn(value: Record<string, unknown>, key: string): string | undefined {
  const found = value[key];
  return typeof found === 'string' ? found : undefined;
}

/** Returns the changes of texts. */
export function textsOf(changes: ReadonlyMap<number, PartChange>): Map<number, string> {
  const texts = new Map<number, string>();
  for (const [index, change] of changes) if ('text' in change) texts.set(index, change.text);
  return texts;
}

/** Converts a value to JSON. A value that JSON does not have becomes null. */
export function toJson(value: unknown): JsonValue {
  const text = JSON.stringify(value);
  return text === undefined ? null : (JSON.parse(text) as JsonValue);
}
