/** A slice of a text: a complete JSON object or list, or the text between them. */
export interface ValueSlice {
  text: string;
  isWhole: boolean;
}

/** Splits a text at the JSON objects and lists in it. Linear in the length of the text; does not check the values. */
export function splitValues(text: string): ValueSlice[] {
  const slices: ValueSlice[] = [];
  let from = 0;
  for (let start = nextOpening(text, 0); start !== -1; start = nextOpening(text, from)) {
    const end = endOfValue(text, start);
    if (end === -1) break;
    if (start > from) slices.push({ text: text.slice(from, start), isWhole: false });
    slices.push({ text: text.slice(start, end), isWhole: true });
    from = end;
  }
  if (from < text.length) slices.push({ text: text.slice(from), isWhole: false });
  return slices;
}

function nextOpening(text: string, from: number): number {
  for (let index = from; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === OPEN_OBJECT || code === OPEN_LIST) return index;
  }
  return -1;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let index = start; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === QUOTE) index = endOfString(text, index);
    else if (code === OPEN_OBJECT || code === OPEN_LIST) depth += 1;
    else if (code === CLOSE_OBJECT || code === CLOSE_LIST) {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return -1;
}

/** Returns the index of the closing quote, or the length of the text. */
function endOfString(text: string, start: number): number {
  for (let index = start + 1; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === BACKSLASH) index += 1;
    else if (code === QUOTE) return index;
  }
  return text.length;
}

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_LIST = 0x5b;
export const CLOSE_LIST = 0x5d;
