import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { beginsAfter, inputOf, type TextCallForm, type WrittenCall } from './text-call-form.ts';

/** The tokens around a call, and around a text in it. */
const TOKENS = [
  { open: '<|tool_call>', close: '<tool_call|>', quote: '<|"|>' },
  { open: '<start_function_call>', close: '<end_function_call>', quote: '<escape>' },
];

const OPENERS = TOKENS.map(({ open }) => open);

/** Gemma 4: `<|tool_call>call:NAME{key:<|"|>text<|"|>,limit:5}<tool_call|>`. FunctionGemma has other tokens. */
export const gemmaTokens: TextCallForm = {
  openers: OPENERS,
  canBegin: beginsAfter(OPENERS, /^\s*(?:$|c(?:$|a(?:$|l(?:$|l(?:$|:)))))/),
  read(text) {
    const tokens = TOKENS.find(({ open }) => text.startsWith(open));
    if (tokens === undefined) return undefined;
    const calls: WrittenCall[] = [];
    let at = tokens.open.length;
    for (;;) {
      const [opening, name] = /^\s*call:([\w.:-]+?)\s*(?=\{)/.exec(text.slice(at)) ?? [];
      if (opening === undefined || name === undefined) break;
      const read = valueAt(text, at + opening.length, tokens.quote);
      if (read === undefined || !isObject(read.value)) return undefined;
      calls.push({ name, input: read.value });
      at = read.end;
    }
    const end = at + blanksAt(text, at);
    if (calls.length === 0) return undefined;
    // Servers that stop at the closing token leave it out.
    if (end === text.length) return { calls, length: end };
    return text.startsWith(tokens.close, end) ? { calls, length: end + tokens.close.length } : undefined;
  },
};

interface ReadValue {
  value: JsonValue;
  /** The place after the value. */
  end: number;
}

function valueAt(text: string, from: number, quote: string): ReadValue | undefined {
  const start = from + blanksAt(text, from);
  if (text.startsWith(quote, start)) {
    const end = text.indexOf(quote, start + quote.length);
    return end === -1 ? undefined : { value: text.slice(start + quote.length, end), end: end + quote.length };
  }
  if (text.charAt(start) === '{') return objectAt(text, start, quote);
  if (text.charAt(start) === '[') return listAt(text, start, quote);
  const literal = /^(?:"(?:[^"\\]|\\.)*"|-?[\d.]+(?:[eE][+-]?\d+)?|true|false|null)/s.exec(
    text.slice(start),
  )?.[0];
  const value = literal === undefined ? undefined : parseJson(literal);
  return literal === undefined || value === undefined ? undefined : { value, end: start + literal.length };
}

function objectAt(text: string, start: number, quote: string): ReadValue | undefined {
  const entries: [string, JsonValue][] = [];
  const end = entriesEnd(text, { start, close: '}' }, (at) => {
    const [found, key = ''] = /^\s*"?([\w.-]+)"?\s*:/.exec(text.slice(at, at + 200)) ?? [];
    const read = found === undefined ? undefined : valueAt(text, at + found.length, quote);
    if (read !== undefined) entries.push([key, read.value]);
    return read?.end;
  });
  const value: JsonObject | undefined = end === undefined ? undefined : inputOf(entries);
  return value === undefined || end === undefined ? undefined : { value, end };
}

function listAt(text: string, start: number, quote: string): ReadValue | undefined {
  const value: JsonValue[] = [];
  const end = entriesEnd(text, { start, close: ']' }, (at) => {
    const read = valueAt(text, at, quote);
    if (read !== undefined) value.push(read.value);
    return read?.end;
  });
  return end === undefined ? undefined : { value, end };
}

/** Reads entries with commas between them. Returns the place after the closing bracket. */
function entriesEnd(
  text: string,
  { start, close }: { start: number; close: string },
  read: (at: number) => number | undefined,
): number | undefined {
  let at = start + 1;
  at += blanksAt(text, at);
  while (text.charAt(at) !== close) {
    const end = read(at);
    if (end === undefined) return undefined;
    at = end + blanksAt(text, end);
    if (text.charAt(at) === ',') at += 1 + blanksAt(text, at + 1);
    else if (text.charAt(at) !== close) return undefined;
  }
  return at + 1;
}

function blanksAt(text: string, at: number): number {
  const pattern = /\s*/y;
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
}
