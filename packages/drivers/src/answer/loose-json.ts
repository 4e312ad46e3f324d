import { type JsonValue, parseJson } from '@longhaul/protocol';

/** Parses JSON as models write it. Returns undefined if the text is not one complete value. */
export type ParseLoosely = (text: string) => JsonValue | undefined;

/** Loads the repair of JSON. It is needed only for arguments that are not valid. */
export async function loadLooseJson(): Promise<ParseLoosely> {
  const { jsonrepair } = await import('jsonrepair');
  return (text) => {
    const value = valueIn(text);
    if (value === undefined) return undefined;
    const body = text.slice(...value);
    const exact = parseJson(body);
    if (exact !== undefined) return exact;
    // Python's long strings have no equivalent, and a repair would change their content.
    if (/"""|'''/.test(body)) return undefined;
    try {
      return parseJson(jsonrepair(keepBackslashes(body)));
    } catch {
      return undefined;
    }
  };
}

/** Text that models write around a value: tags of templates, and code fences. */
const BEFORE = /^(?:\s|<\/?[\w|:▁｜-]+>|```\w*)*/;
const AFTER = /^(?:\s|<\/?[\w|:▁｜-]+>|```|;)*$/;

/**
 * Returns the range of the only value in the text, or undefined. A value without an end is none: repairing it would,
 * for example, write half a file.
 */
function valueIn(text: string): [start: number, end: number] | undefined {
  const start = BEFORE.exec(text)?.[0].length ?? 0;
  const end = valueEnd(text, start);
  if (end === undefined || !AFTER.test(text.slice(end).replace(/^\s*[}\]]/, ''))) return undefined;
  return [start, end];
}

/** Returns the end of the object, list or text that starts at `start`, or undefined if it has none. */
export function valueEnd(text: string, start: number): number | undefined {
  let depth = 0;
  let quote = '';
  for (let at = start; at < text.length; at += 1) {
    const char = text.charAt(at);
    if (quote !== '') {
      if (char === '\\') at += 1;
      else if (char === quote) quote = '';
    } else if (char === '"' || char === "'") quote = char;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    else if (depth === 0) return undefined;
    if (depth === 0 && quote === '') return at + 1;
  }
  return undefined;
}

/** Doubles a backslash that JSON does not know, as in `"\."`. The repair would drop it, and change a pattern. */
function keepBackslashes(text: string): string {
  return text.replace(/\\(.)/gs, (pair, char: string) => (/["'\\/bfnrtu]/.test(char) ? pair : `\\${pair}`));
}
