import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { EventPatch } from './event-patch.ts';

/**
 * Changes an event through the patch. Returns false if the event must be left out; those before it stay.
 *
 * @param name The name of the event in its line `event:`. Most servers send none, or repeat the type.
 */
export type MendEvent = (event: JsonObject, patch: EventPatch, name: string) => boolean;

export interface EventMender {
  /** Returns the bytes to pass on: `bytes` itself if nothing in them is changed. Incomplete lines are held back. */
  push(bytes: Uint8Array): Uint8Array;
  /** Returns the rest. A last event that is complete is ended, even if the server did not send its blank line. */
  end(): Uint8Array;
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
 * The SDKs check every field of an event and fail the whole answer if one has an unexpected form, even a field that they
 * do not use. Many servers differ in such fields.
 *
 * @param missingEnd Returns the events that the end of the stream lacks.
 */
export function createEventMender(mend: MendEvent, missingEnd: () => JsonObject[] = () => []): EventMender {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = '';
  /** The stream ends in a complete event without its blank line. */
  let isUnended = false;
  let name = '';

  const mendLine = (sent: string): string => {
    const line = asData(sent);
    if (!line.startsWith(FIELD)) {
      if (line.startsWith(NAME_FIELD)) name = line.slice(NAME_FIELD.length).trim();
      if (line.trim() !== '') return line;
      isUnended = false;
      name = '';
      return line;
    }
    const data = line.slice(FIELD.length).trim();
    if (data === '') return '';
    const patch = new EventPatch();
    let event = parseJson(data);
    if (event === undefined && line.endsWith('\n')) event = parseUnclosed(data, patch);
    // Some servers separate their events by one line end only.
    const gap = isUnended ? '\n' : '';
    if (event === undefined && data === '[DONE]') return gap + line;
    // One of several lines of an event.
    if (event === undefined) return line;
    const isKept = isObject(event) && mend(event, patch, name);
    const before = patch.before.map(toLines).join('');
    if (!isKept) return gap + before;
    isUnended = true;
    return gap + before + (patch.hasChanged ? `${FIELD} ${JSON.stringify(event)}\n` : line);
  };

  return {
    push(bytes) {
      const text = decoder.decode(bytes, { stream: true });
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
      const isSame = !wasHeld && mended === text;
      return isSame ? bytes : encoder.encode(mended);
    },
    end() {
      const rest = held + decoder.decode();
      held = '';
      const mended = rest === '' ? '' : mendLine(rest);
      const ended = isUnended ? `${mended}\n\n` : mended;
      return encoder.encode(ended + missingEnd().map(toLines).join(''));
    },
  };
}

function toLines(event: JsonObject): string {
  return `${FIELD} ${JSON.stringify(event)}\n\n`;
}

/** Turns lines that are no fields of an event into one: an error, or JSON without a field. */
function asData(line: string): string {
  if (line.startsWith('{')) return isObject(parseJson(line.trim())) ? `${FIELD} ${line.trim()}\n` : line;
  if (!line.startsWith(ERROR_FIELD)) return line;
  const error = parseJson(line.slice(ERROR_FIELD.length).trim());
  if (!isObject(error)) return line;
  return `${FIELD} ${JSON.stringify('error' in error ? error : { error })}\n`;
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
