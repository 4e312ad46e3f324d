import type { Token, Tokens } from 'marked';
import remend from 'remend';
import { type LinkDefinitions, type RawBlock, rawBlock, readBlocks } from './lex.ts';

export type Block = Token | RawBlock;

/**
 * Blocks at the end that later text may still change, without spaces: a line can join a paragraph, and a paragraph `1`
 * can become an item of the list before it.
 */
const OPEN_BLOCKS = 2;
/** Items at the end of a list that later text may still change. */
const OPEN_ITEMS = 2;
/** A longer list is divided, and its first part is finished. */
const LONG_LIST_CHARS = 1_000;
/** Longer open text is read again only when it has grown by an eighth. Still longer text is not read until the end. */
const LONG_OPEN_CHARS = 4_000;
const LONGEST_OPEN_CHARS = 16_000;

/** Reads Markdown whose text grows, without reading the finished blocks again. */
export class Blocks {
  readonly #finished: Block[] = [];
  /** The text of the finished blocks. */
  #read = '';
  #links: LinkDefinitions = {};
  /** The text after the finished blocks, and what was read of it. */
  #open: { text: string; blocks: readonly Block[] } = { text: '', blocks: [] };
  #whole: { text: string; blocks: readonly Block[] } | undefined;

  /** @param isRunning The text may end in the middle of a mark, which is closed for now. */
  read(given: string, { isRunning }: { isRunning: boolean }): readonly Block[] {
    const text = given.includes('\r') ? given.replace(/\r\n?/g, '\n') : given;
    if (!text.startsWith(this.#read)) this.#reset();
    if (!isRunning) return this.#readToEnd(text);
    const open = this.#readOpen(text.slice(this.#read.length));
    return [...this.#finished, ...open];
  }

  #readToEnd(text: string): readonly Block[] {
    if (this.#whole?.text !== text) {
      const last = readBlocks(text.slice(this.#read.length), this.#links);
      this.#whole = { text, blocks: [...this.#finished, ...last] };
    }
    return this.#whole.blocks;
  }

  #readOpen(rest: string): readonly Block[] {
    const { text, blocks } = this.#open;
    const isLong = text !== '' && rest.length > LONG_OPEN_CHARS && !isFence(rest) && rest.startsWith(text);
    const isWorthIt = rest.length > (text.length * 9) / 8 && rest.length < LONGEST_OPEN_CHARS;
    if (isLong && !isWorthIt) return rest === text ? blocks : [...blocks, rawBlock(rest.slice(text.length))];
    const read = readBlocks(rest, this.#links);
    const open = this.#finish(rest, closedBlocks(read));
    const mended = isFence(open) ? open : remend(open);
    this.#open = { text: open, blocks: mended === rest ? read : readBlocks(mended, this.#links) };
    return this.#open.blocks;
  }

  /** Moves blocks that cannot change any more to the finished ones. Returns the text of the others. */
  #finish(rest: string, closed: readonly Block[]): string {
    const raw = closed.map((block) => block.raw).join('');
    if (!rest.startsWith(raw)) return rest;
    this.#finished.push(...closed);
    this.#read += raw;
    return rest.slice(raw.length);
  }

  #reset(): void {
    this.#finished.length = 0;
    this.#read = '';
    this.#links = {};
    this.#open = { text: '', blocks: [] };
  }
}

/** A fence that begins or a long list that grows closes everything before it. */
function closedBlocks(blocks: readonly Block[]): readonly Block[] {
  const last = blocks.at(-1);
  if (last?.type === 'code' && isFence(last.raw)) return blocks.slice(0, -1);
  const firstItems = last?.type === 'list' ? closedItems(last as Tokens.List) : undefined;
  if (firstItems !== undefined) return [...blocks.slice(0, -1), firstItems];
  let open = 0;
  const end = blocks.findLastIndex(({ type }) => {
    if (type !== 'space') open += 1;
    return open === OPEN_BLOCKS;
  });
  return blocks.slice(0, Math.max(0, end));
}

function closedItems(list: Tokens.List): Tokens.List | undefined {
  if (list.raw.length < LONG_LIST_CHARS || list.items.length <= OPEN_ITEMS) return undefined;
  const items = list.items.slice(0, -OPEN_ITEMS);
  const raw = items.map((item) => item.raw).join('');
  return raw !== '' && list.raw.startsWith(raw) ? { ...list, raw, items } : undefined;
}

function isFence(text: string): boolean {
  return /^ {0,3}(?:```|~~~)/.test(text);
}
