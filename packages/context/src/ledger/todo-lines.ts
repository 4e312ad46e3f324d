import type { TokenCounter } from '../tokens.ts';
import { oneLine } from './one-line.ts';

const DONE_ITEM = /^\s*(?:[-*]\s*)?\[x\]/i;
const ITEM = /^\s*(?:[-*]\s*)?\[(.)\]\s*/;

/** Characters of a finished list, and of each of its items. */
const DONE_CHARS = 140;
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
  const { done, active, open } = todoItems(todo);
  return { done: done.length, all: done.length + active.length + open.length };
}

/** Returns the items that are done, those in progress and those that are not begun, without their marks. */
export function todoItems(todo: string | undefined): { done: string[]; active: string[]; open: string[] } {
  const items = { done: [] as string[], active: [] as string[], open: [] as string[] };
  for (const line of linesOf(todo)) {
    const mark = ITEM.exec(line)?.[1] ?? '-';
    const list = /x/i.test(mark) ? items.done : mark === '>' ? items.active : items.open;
    if (mark !== '-') list.push(line.replace(ITEM, ''));
  }
  return items;
}

function linesOf(todo: string | undefined): string[] {
  return (todo ?? '').split('\n').filter((line) => line.trim() !== '');
}
