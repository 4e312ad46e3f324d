import { cutMiddle } from '@longhaul/context';
import type { JsonValue } from '@longhaul/protocol';

const MAX_CHARS = 8_000;

/** Control characters, and those that turn the direction of text: what a person judges must be what they see. */
const HIDING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;

/** The whole of what a call would do, indented, for a person to judge: nothing can hide, and the middle alone of a very long one is left out, which is said. */
export function approvalQuestion({ toolName, args }: { toolName: string; args: JsonValue }): string {
  const text = argumentText(args);
  const { text: shown } = cutMiddle(text, MAX_CHARS);
  const lines = shown.replace(HIDING, escaped).split('\n');
  const head = lines.length === 1 ? ` ${lines[0]}` : `\n    ${lines.join('\n    ')}`;
  return `? ${toolName}${head}\n`;
}

function argumentText(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return JSON.stringify(args);
  const entries = Object.entries(args);
  const [only] = entries;
  if (entries.length === 1 && typeof only?.[1] === 'string') return only[1];
  return entries
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join('\n');
}

function escaped(char: string): string {
  return `\\u${(char.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`;
}
