import { cutMiddle } from '@longhaul/context';
import type { JsonValue } from '@longhaul/protocol';

/** The limit of an argument such as a file's text. A command is never cut. */
const MAX_CHARS = 8_000;
/** Longer runs of blanks or empty lines would push the text before them out of sight. */
const MAX_BLANKS = 16;
const MAX_EMPTY_LINES = 4;
/** With more lines, their number is printed at the end, where the person looks. */
const MANY_LINES = 15;

/**
 * Characters that are invisible, move the cursor, or change the direction of text. A person must see everything they
 * allow.
 */
const HIDING = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu;

/**
 * Returns a whole call, indented, for a person to judge. Nothing can hide. Only the middle of a very long argument
 * other than a command is left out, with a note.
 */
export function approvalQuestion({ toolName, args }: { toolName: string; args: JsonValue }): string {
  const lines = visible(argumentText(args)).split('\n');
  const head = lines.length === 1 ? ` ${lines[0]}` : `\n    ${lines.join('\n    ')}`;
  const count = lines.length > MANY_LINES ? `\n  ${lines.length} lines, from "? ${toolName}" on.` : '';
  return `? ${toolName.replace(HIDING, escaped)}${head}${count}\n`;
}

function argumentText(args: JsonValue): string {
  if (typeof args !== 'object' || args === null || Array.isArray(args)) return cut(JSON.stringify(args));
  const entries = Object.entries(args).map(([name, value]): [string, string] => {
    const text = typeof value === 'string' ? value : JSON.stringify(value);
    return [name, name === 'command' ? text : cut(text)];
  });
  const [only] = entries;
  if (entries.length === 1 && only !== undefined && typeof args[only[0]] === 'string') return only[1];
  return entries.map(([name, text]) => `${name}: ${text}`).join('\n');
}

function cut(text: string): string {
  return cutMiddle(text, MAX_CHARS).text;
}

function visible(text: string): string {
  return text
    .replace(HIDING, (char) => (char === '\n' ? char : escaped(char)))
    .replace(
      / {17,}/g,
      (blanks) => `${' '.repeat(MAX_BLANKS)}[… ${blanks.length - MAX_BLANKS} more blanks …]`,
    )
    .replace(/(?:\n *){5,}(?=\n)/g, (empty) => {
      const count = empty.split('\n').length - 1 - MAX_EMPTY_LINES;
      return `${'\n'.repeat(MAX_EMPTY_LINES)}\n[… ${count} more empty lines …]`;
    });
}

function escaped(char: string): string {
  const code = char.codePointAt(0) ?? 0;
  const hex = code.toString(16).padStart(4, '0');
  return code > 0xffff ? `\\u{${hex}}` : `\\u${hex}`;
}
