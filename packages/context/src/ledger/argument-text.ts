import type { JsonValue } from '@longhaul/protocol';

/**
 * Returns the strings and numbers of a call's arguments, one a line. The keys are left out: they belong to the tool. A
 * string that is JSON is read like the arguments themselves.
 */
export function argumentText(input: JsonValue): string {
  const lines: string[] = [];
  addLines(lines, input, 0);
  return lines.join('\n');
}

const MAX_DEPTH = 32;
const MAX_JSON_CHARS = 400_000;

function addLines(lines: string[], value: JsonValue, depth: number): void {
  if (typeof value === 'number') lines.push(String(value));
  else if (typeof value === 'string') {
    const parsed = depth < MAX_DEPTH ? parsedJson(value) : undefined;
    if (parsed === undefined) lines.push(value);
    else addLines(lines, parsed, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH)
    for (const item of Object.values(value)) addLines(lines, item, depth + 1);
}

/** Returns the object or list that a text contains. */
function parsedJson(text: string): JsonValue | undefined {
  if (!/^\s*[[{]/.test(text) || text.length > MAX_JSON_CHARS) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
