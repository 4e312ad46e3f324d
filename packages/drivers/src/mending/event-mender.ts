import type { JsonObject, JsonValue } from '@longhaul/protocol';
import { isObject, parseJson } from '../json.ts';
import { EventPatch } from './event-patch.ts';

/** Changes an event through the patch. Returns false if the event must be left out. */
export type MendEvent = (event: JsonObject, patch: EventPatch) => boolean;

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

const NOTHING = new Uint8Array();

/**
 * Mends the events of a stream before a provider's SDK reads them.
 *
 * The SDKs check every field of an event and fail the whole answer if one has an unexpected form, even a field that they
 * do not use. Many servers differ in such fields.
 */
export function createEventMender(mend: MendEvent): EventMender {
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  let held = '';
  /** The stream ends in a complete event without its blank line. */
  let isUnended = false;

  const mendLine = (sent: string): string => {
    const line = errorAsData(sent);
    if (!line.startsWith(FIELD)) {
      if (line.trim() === '') isUnended = false;
      return line;
    }
    const data = line.slice(FIELD.length).trim();
    if (data === '') return '';
    const patch = new EventPatch();
    let event = parseJson(data);
    if (event === undefined && line.endsWith('\n')) event = parseUnclosed(data, patch);
    // Either the end marker, or one of several lines of an event.
    if (event === undefined) return line;
    isUnended = true;
    if (!isObject(event) || !mend(event, patch)) return '';
    const before = patch.before === undefined ? '' : `${FIELD} ${JSON.stringify(patch.before)}\n\n`;
    return before + (patch.hasChanged ? `${FIELD} ${JSON.stringify(event)}\n` : line);
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
      return encoder.encode(isUnended ? `${mended}\n\n` : mended);
    },
  };
}

function errorAsData(line: string): string {
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
