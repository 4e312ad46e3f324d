import { isRecord } from '../wire/is-record.ts';

/**
 * Returns the text of a message as the client sent it, which can have any form; of a message that only calls tools, the
 * names of the tools.
 */
export function textOf(message: object): string {
  const { content, tool_calls: calls } = message as { content?: unknown; tool_calls?: unknown };
  const text = typeof content === 'string' ? content : listOf(content).map(partText).join(' ');
  const names = listOf(calls).map(callName);
  return text === '' && names.length > 0 ? `calls ${names.join(', ')}` : text;
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function partText(part: unknown): string {
  if (!isRecord(part)) return '';
  return typeof part['text'] === 'string' ? part['text'] : `[${String(part['type'])}]`;
}

function callName(call: unknown): string {
  const called = isRecord(call) ? call['function'] : undefined;
  return isRecord(called) ? String(called['name']) : 'a tool';
}

/** Returns the beginning of a text as one line. */
export function beginningOf(text: string, maxChars: number): string {
  // Only as much as can be needed: a message can be very long.
  const line = text
    .slice(0, maxChars * 4)
    .replace(/\s+/g, ' ')
    .trim();
  if (line.length <= maxChars) return line;
  const cut = line.slice(0, maxChars);
  // Half of a character such as an emoji is not shown.
  return `${cut.isWellFormed() ? cut : cut.slice(0, -1)}…`;
}
