import { namesFailure } from '@longhaul/models';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { EventPatch } from './event-patch.ts';

/**
 * Changes an event through the patch. Returns false if the event must be left out, and `foreign` if it also belongs to
 * another format; those before it stay.
 *
 * @param name The name of the event in its line `event:`. Most servers send none, or repeat the type.
 */
export type MendEvent = (event: JsonObject, patch: EventPatch, name: string) => boolean | 'foreign';

/** The rules of one stream. */
export interface StreamMender {
  mend: MendEvent;
  /** Called at `data: [DONE]`. */
  onDone?(): void;
  /** Returns the events that the end of the stream lacks. */
  missingEnd?(): JsonObject[];
}

export interface EventMender {
  /** Returns the bytes to pass on: `bytes` itself if nothing in them is changed. Incomplete lines are held back. */
  push(bytes: Uint8Array): Uint8Array;
  /**
   * Returns the rest. A last event that is complete is ended, even if the server did not send its blank line.
   *
   * @throws What `onlyForeign` returns, if all events belong to another format or are not JSON.
   */
  end(): Uint8Array;
}

export interface EventMenderOptions {
  /** Returns the error for a stream that has only events of another format or text, from the first of them. */
  onlyForeign: (event: JsonObject | string) => Error;
  /** Called for each event that is left out because its data is text, and names no failure. */
  onIgnored: (text: string) => void;
}

/** An event may lack this many of its last braces. */
const MOST_MISSING_BRACES = 2;

const FIELD = 'data:';
/** llama.cpp sends a failure within a stream in a line of its own: `error: {…}`. */
const ERROR_FIELD = 'error:';
const NAME_FIELD = 'event:';

const NOTHING = new Uint8Array();

/**
 * Mends the events of a stream before a provider's SDK reads them.
 *
 * The SDKs check every field of an event and fail the whole answer if one has an unexpected form, even a field that
 * they do not use. Many servers differ in such fields.
 */
export function createEventMender(
  rules: StreamMender,
  { onlyForeign, onIgnored }: EventMenderOptions,
): EventMender {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const toLineFeeds = createLineFeeds();
  let held = '';
  /** The lines of an event whose JSON is written on several. */
  let open = '';
  /** The stream ends in a complete event without its blank line. */
  let isUnended = false;
  let name = '';
  let foreign: JsonObject | string | undefined;
  let isKnown = false;

  /** Some servers separate their events by one line end only. */
  const gap = () => (isUnended ? '\n' : '');
  const mendLine = (sent: string): string => {
    const line = asData(sent);
    if (line.startsWith(FIELD)) return mendData(line);
    if (line.startsWith(NAME_FIELD)) name = line.slice(NAME_FIELD.length).trim();
    if (line.trim() !== '') return line;
    const before = endOpen();
    isUnended = false;
    name = '';
    return before + line;
  };
  const mendData = (line: string): string => {
    const data = line.slice(FIELD.length).trim();
    if (data === '') return '';
    if (data === '[DONE]') {
      const before = endOpen();
      rules.onDone?.();
      return before + gap() + line;
    }
    // A server may send text without the blank line that ends it.
    if (isText(open)) return endOpen() + mendData(line);
    const patch = new EventPatch();
    let event = open === '' ? parseJson(data) : undefined;
    if (event === undefined && open === '' && line.endsWith('\n')) event = parseUnclosed(data, patch);
    if (event !== undefined) return mendEvent(event, patch, line);
    open += line;
    return '';
  };
  const mendEvent = (event: JsonValue, patch: EventPatch, line: string): string => {
    const mended = isObject(event) && rules.mend(event, patch, name);
    if (mended === 'foreign' && isObject(event)) foreign ??= event;
    isKnown ||= mended === true;
    const before = patch.before.map(toLines).join('');
    if (mended !== true) return gap() + before;
    const start = gap() + before;
    isUnended = true;
    return start + (patch.hasChanged ? `${FIELD} ${JSON.stringify(event)}\n` : line);
  };
  /** Ends the event on several lines: it is JSON together, or text, or is passed on as it was sent. */
  const endOpen = (): string => {
    const lines = open;
    open = '';
    if (lines === '') return '';
    const data = dataOf(lines);
    const event = parseJson(data);
    if (event === undefined) return isText(lines) ? endText(data.trim(), lines) : lines;
    return mendEvent(event, changedPatch(), lines);
  };
  const endText = (text: string, lines: string): string => {
    if (/error/i.test(name) || namesFailure(text))
      return mendEvent({ error: { message: text } }, changedPatch(), lines);
    foreign ??= text;
    onIgnored(text);
    return '';
  };

  return {
    push(bytes) {
      const sent = decoder.decode(bytes, { stream: true });
      const text = toLineFeeds(sent);
      const end = text.lastIndexOf('\n') + 1;
      const wasHeld = held !== '';
      // Held text is read once, when its line is complete: a line can arrive in thousands of chunks.
      if (end === 0) {
        held += text;
        return NOTHING;
      }
      const lines = (held + text.slice(0, end)).split(/(?<=\n)/);
      held = text.slice(end);
      const mended = lines.map(mendLine).join('');
      const isSame = !wasHeld && mended === sent;
      return isSame ? bytes : encoder.encode(mended);
    },
    end() {
      const rest = held + toLineFeeds(decoder.decode());
      held = '';
      const mended = (rest === '' ? '' : mendLine(rest)) + endOpen();
      if (foreign !== undefined && !isKnown) throw onlyForeign(foreign);
      const ended = isUnended ? `${mended}\n\n` : mended;
      const missing = rules.missingEnd?.() ?? [];
      return encoder.encode(ended + missing.map(toLines).join(''));
    },
  };
}

/** A line can end in a carriage return, alone or before a line feed, which can be in the next piece of the text. */
function createLineFeeds(): (text: string) => string {
  let hasReturned = false;
  return (text) => {
    if (!hasReturned && !text.includes('\r')) return text;
    const rest = hasReturned && text.startsWith('\n') ? text.slice(1) : text;
    if (text !== '') hasReturned = text.endsWith('\r');
    return rest.replaceAll(/\r\n?/g, '\n');
  };
}

function toLines(event: JsonObject): string {
  return `${FIELD} ${JSON.stringify(event)}\n\n`;
}

/** Turns lines that are not fields of an event into one: an error, or JSON without a field. */
function asData(line: string): string {
  if (line.startsWith('{')) return isObject(parseJson(line.trim())) ? `${FIELD} ${line.trim()}\n` : line;
  if (!line.startsWith(ERROR_FIELD)) return line;
  const text = line.slice(ERROR_FIELD.length).trim();
  if (text === '') return line;
  const parsed = parseJson(text);
  const error = isObject(parsed) ? parsed : { message: text };
  return `${FIELD} ${JSON.stringify('error' in error ? error : { error })}\n`;
}

function dataOf(lines: string): string {
  const data = lines.split('\n').map((line) => line.slice(FIELD.length));
  return data.join('\n');
}

/** Whether the data of an event is text, and not JSON that is cut or continues. */
function isText(lines: string): boolean {
  const data = lines.slice(FIELD.length).trimStart();
  return data !== '' && (/^\[\w+\]\s*$/.test(data) || !/^[[{"]/.test(data));
}

function changedPatch(): EventPatch {
  const patch = new EventPatch();
  patch.hasChanged = true;
  return patch;
}

function parseUnclosed(text: string, patch: EventPatch): JsonValue | undefined {
  if (!/^\{.*[}\]]$/s.test(text)) return undefined;
  for (let missing = 1; missing <= MOST_MISSING_BRACES; missing += 1) {
    const event = parseJson(text + '}'.repeat(missing));
    if (event === undefined) continue;
    patch.hasChanged = true;
    return event;
  }
  return undefined;
}
