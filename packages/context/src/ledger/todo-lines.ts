import type { TokenCounter } from '../tokens.ts';
import { oneLine } from './one-line.ts';

export const DONE_ITEM = /^\s*(?:[-*]\s*)?\[x\]/i;
const ACTIVE_ITEM = /^\s*(?:[-*]\s*)?\[>\]/;
const DROPPED_ITEM = /^\s*(?:[-*]\s*)?\[-\]/;
const ITEM = /^\s*(?:[-*]\s*)?\[.\]\s*/;

/** Characters of a finished list, and of each of its items. */
const DONE_CHARS = 240;
const ITEM_CHARS = 80;

/** Tokens of the lines that count items, and of the blank line after the section. */
const COUNT_TOKENS = 32;

/** Returns the list as its tool returned it. Done items are only counted if all are done, or if the list is too long. */
export function todoLines(
  todo: string | undefined,
  { handle, tokens, count }: { handle?: string | undefined; tokens: number; count: TokenCounter },
): string[] {
  const lines = linesOf(todo);
  const { done: finished, all } = todoCounts(todo);
  if (all > 1 && finished === all) {
    const items = lines
      .filter((line) => DONE_ITEM.test(line))
      .map((line) => oneLine(line.replace(ITEM, ''), ITEM_CHARS));
    return [
      `All ${all} items are done${handle === undefined ? '' : ` (${handle})`}: ${oneLine(items.join('; '), DONE_CHARS)}`,
    ];
  }
  if (count(lines.join('\n')) + lines.length + COUNT_TOKENS <= tokens) return lines;
  const open = lines.filter((line) => !DONE_ITEM.test(line));
  const done = lines.length - open.length;
  return done === 0 ? open : [`(${done} items are done)`, ...open];
}

export function todoCounts(todo: string | undefined): { done: number; all: number } {
  const items = linesOf(todo).filter((line) => ITEM.test(line) && !DROPPED_ITEM.test(line));
  return { done: items.filter((line) => DONE_ITEM.test(line)).length, all: items.length };
}

/** Returns the items in progress and those that are not begun, without their marks. */
export function todoItems(todo: string | undefined): { active: string[]; open: string[] } {
  const items = linesOf(todo).filter(
    (line) => ITEM.test(line) && !DONE_ITEM.test(line) && !DROPPED_ITEM.test(line),
  );
  const text = (line: string) => line.replace(ITEM, '');
  return {
    active: items.filter((line) => ACTIVE_ITEM.test(line)).map(text),
    open: items.filter((line) => !ACTIVE_ITEM.test(line)).map(text),
  };
}

function linesOf(todo: string | undefined): string[] {
  return (todo ?? '').split('\n').filter((line) => line.trim() !== '');
}
