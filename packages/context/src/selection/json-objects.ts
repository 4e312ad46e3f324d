export type JsonRecord = Record<string, unknown>;

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The most characters that are searched. An answer is short, and a long text of braces must not cost time. */
const MAX_SEARCHED_CHARS = 200_000;
const MAX_FAILURES = 200;

/** Returns the outermost JSON objects in a text, in order. */
export function jsonObjects(text: string): JsonRecord[] {
  const found: JsonRecord[] = [];
  const searched = text.slice(0, MAX_SEARCHED_CHARS);
  let start = searched.indexOf('{');
  let failures = 0;
  while (start !== -1 && failures < MAX_FAILURES) {
    const end = endOfObject(searched, start);
    const value = end === undefined ? undefined : parse(searched.slice(start, end));
    if (isRecord(value)) found.push(value);
    else failures += 1;
    const next = isRecord(value) && end !== undefined ? end : start + 1;
    start = searched.indexOf('{', next);
  }
  return found;
}

function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let isInString = false;
  for (let index = start; index < text.length; index += 1) {
    const char = text[index];
    if (isInString) {
      if (char === '\\') index += 1;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{') depth += 1;
    else if (char === '}') {
      depth -= 1;
      if (depth === 0) return index + 1;
    }
  }
  return undefined;
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
