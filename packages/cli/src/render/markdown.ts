import { lexer, type Token, type Tokens } from 'marked';
import { type CodeHighlighter, createHighlighter } from './code-highlighter.ts';
import { printable, widthOf } from './format.ts';
import type { Paint } from './paint.ts';

export interface MarkdownOptions {
  columns: number;
  paint: Paint;
  /** Makes links of texts that name their target. Default: no links. */
  links?: Links | undefined;
}

/** Returns what makes a text a link, or undefined if it names nothing that can be opened. */
export interface Links {
  address: (text: string) => ((text: string) => string) | undefined;
  file: (text: string) => ((text: string) => string) | undefined;
}

/** Renders a whole Markdown text for a terminal. The result ends with a line break, unless it is empty. */
export function renderMarkdown(text: string, options: MarkdownOptions): string {
  const stream = new MarkdownStream(options);
  return stream.push(text.trim()) + stream.end();
}

const FENCE = /^(\s*)(`{3,}|~{3,})/;
const ITEM = /^(?:[-*+]|\d{1,9}[.)])\s/;
const HEADING = /^ {0,3}#{1,6}(?:\s|$)/;

/**
 * Renders Markdown that comes in pieces, block by block: a paragraph, an item of a list or a table when it is complete,
 * code line by line. Returned text never changes, and always ends with a line break.
 */
export class MarkdownStream {
  readonly #options: MarkdownOptions;
  #line = '';
  #block: string[] = [];
  #fence: { indent: string; marker: string; code: CodeHighlighter } | undefined;
  /** An empty line is due before the next block. */
  #gap = false;
  #isAfterList = false;
  #isBegun = false;

  constructor(options: MarkdownOptions) {
    this.#options = options;
  }

  push(text: string): string {
    const lines = (this.#line + text).split('\n');
    this.#line = lines.pop() ?? '';
    return lines.map((line) => this.#take(plain(line))).join('');
  }

  /** The text of the unfinished block, as it came. */
  get pending(): string {
    return [...this.#block, this.#line].join('\n').trim();
  }

  /** Renders the rest. */
  end(): string {
    const rest = plain(this.#line);
    const out = (rest === '' ? '' : this.#take(rest)) + this.#flush();
    this.#line = '';
    this.#fence = undefined;
    this.#gap = false;
    this.#isAfterList = false;
    return out;
  }

  #take(line: string): string {
    if (this.#fence !== undefined) return this.#codeLine(line, this.#fence);
    const fence = FENCE.exec(line);
    if (fence !== null) {
      const out = this.#flush();
      const [indent = '', marker = ''] = fence.slice(1);
      this.#fence = { indent, marker, code: highlighterOf(line.slice(fence[0].length), this.#options) };
      return out;
    }
    if (line.trim() === '') {
      const out = this.#flush();
      this.#gap = true;
      return out;
    }
    const isHeading = HEADING.test(line);
    const out = isHeading || this.#beginsItem(line) ? this.#flush() : '';
    this.#block.push(line);
    return isHeading ? out + this.#flush() : out;
  }

  /** An ordered item ends a paragraph only if it is the first of its list: a line may begin with a year. */
  #beginsItem(line: string): boolean {
    if (!ITEM.test(line)) return false;
    return !/^\d/.test(line) || /^1[.)]/.test(line) || ITEM.test(this.#block[0] ?? '');
  }

  #codeLine(
    line: string,
    { indent, marker, code }: { indent: string; marker: string; code: CodeHighlighter },
  ): string {
    const end = FENCE.exec(line)?.[2] ?? '';
    if (end.startsWith(marker) && line.trim() === end) {
      this.#fence = undefined;
      return '';
    }
    const text = line.startsWith(indent) ? line.slice(indent.length) : line.trimStart();
    return this.#emit([`${indent}  ${code.line(text)}`]);
  }

  #flush(): string {
    if (this.#block.length === 0) return '';
    const block = this.#block;
    this.#block = [];
    const indent = /^ */.exec(block[0] ?? '')?.[0].length ?? 0;
    // Further paragraphs of an item are indented, and not code.
    const isOfItem = this.#isAfterList && indent > 1;
    const source = isOfItem ? block.map((line) => line.replace(new RegExp(`^ {0,${indent}}`), '')) : block;
    const tokens = lexer(source.join('\n'), { gfm: true });
    this.#isAfterList = isOfItem || tokens.at(-1)?.type === 'list';
    const { columns } = this.#options;
    const lines = blockLines(tokens, { ...this.#options, columns: columns - (isOfItem ? indent : 0) });
    return this.#emit(isOfItem ? lines.map((line) => ' '.repeat(indent) + line) : lines);
  }

  #emit(lines: readonly string[]): string {
    if (lines.length === 0) return '';
    const gap = this.#gap && this.#isBegun ? '\n' : '';
    this.#gap = false;
    this.#isBegun = true;
    return `${gap}${lines.join('\n')}\n`;
  }
}

function plain(line: string): string {
  return printable(line.replace(/\r$/, '')).replaceAll('\t', '    ').trimEnd();
}

function blockLines(tokens: readonly Token[], options: MarkdownOptions): string[] {
  return tokens.flatMap((token) => linesOf(token, options));
}

function linesOf(token: Token, options: MarkdownOptions): string[] {
  const { columns, paint } = options;
  // Of a token, marked knows the type only by its name.
  switch (token.type) {
    case 'space':
      return [];
    case 'heading':
      return wrapSpans(
        [...headingMark(token, paint), ...spansOf(tokensOf(token), options, [paint.bold])],
        columns,
      );
    case 'code':
      return codeLines(token as Tokens.Code, options);
    case 'hr':
      return [paint.dim('─'.repeat(Math.min(columns, 40)))];
    case 'blockquote':
      return blockLines(tokensOf(token), { ...options, columns: columns - 2 }).map(
        (line) => `${paint.dim('│')} ${line}`,
      );
    case 'list':
      return listLines(token as Tokens.List, options);
    case 'table':
      return tableLines(token as Tokens.Table, options);
    default: {
      const tokens = tokensOf(token);
      return wrapSpans(
        tokens.length === 0 ? [{ text: token.raw, paints: [] }] : spansOf(tokens, options),
        columns,
      );
    }
  }
}

function codeLines({ text, lang = '' }: Tokens.Code, options: MarkdownOptions): string[] {
  const code = highlighterOf(lang, options);
  return text.split('\n').map((line) => `  ${code.line(line)}`);
}

/** @param info What follows the fence: the language, and maybe more. */
function highlighterOf(info: string, { paint }: Pick<MarkdownOptions, 'paint'>): CodeHighlighter {
  return createHighlighter(/^[\s{.]*([\w+#-]*)/.exec(info)?.[1] ?? '', paint);
}

/** Without styles, a heading keeps its sign. */
function headingMark({ raw }: Token, { hasStyles }: Paint): Span[] {
  const mark = /^ *(#+) /.exec(raw)?.[1];
  return hasStyles || mark === undefined ? [] : [{ text: `${mark} `, paints: [] }];
}

function tokensOf(token: Token): Token[] {
  return ('tokens' in token ? token.tokens : undefined) ?? [];
}

function listLines({ items, ordered, start }: Tokens.List, options: MarkdownOptions): string[] {
  return items.flatMap((item, index) => {
    const box = item.task ? (item.checked === true ? '☑ ' : '☐ ') : '';
    const bullet = `${ordered ? `${Number(start) + index}.` : '•'} ${box}`;
    const width = widthOf(bullet);
    const lines = blockLines(
      item.tokens.filter(({ type }) => type !== 'checkbox'),
      { ...options, columns: options.columns - width },
    );
    return (lines.length === 0 ? [''] : lines).map(
      (line, at) => (at === 0 ? bullet : ' '.repeat(width)) + line,
    );
  });
}

const LEAST_COLUMN = 6;

function tableLines({ header, rows }: Tokens.Table, options: MarkdownOptions): string[] {
  const { columns, paint } = options;
  const cells = [header, ...rows].map((row, index) =>
    row.map((cell) => spansOf(cell.tokens, options, index === 0 ? [paint.bold] : [])),
  );
  const widths = header.map((_, at) => Math.max(1, ...cells.map((row) => spanWidth(row[at] ?? []))));
  const room = columns - 3 * (widths.length - 1);
  for (let over = sum(widths) - room; over > 0; over = sum(widths) - room) {
    const widest = widths.indexOf(Math.max(...widths));
    const width = widths[widest] ?? 0;
    if (width <= LEAST_COLUMN) break;
    widths[widest] = Math.max(LEAST_COLUMN, width - Math.max(1, Math.ceil(over / widths.length)));
  }
  const [head = [], ...body] = cells.map((row) => rowLines(row, widths, paint));
  const rule = paint.dim(widths.map((width) => '─'.repeat(width)).join('─┼─'));
  return [...head, rule, ...body.flat()];
}

function rowLines(row: readonly Span[][], widths: readonly number[], paint: Paint): string[] {
  const columns = widths.map((width, at) => wrapSpans(row[at] ?? [], width));
  const height = Math.max(1, ...columns.map((lines) => lines.length));
  return Array.from({ length: height }, (_, line) =>
    columns
      .map((lines, at) => {
        const text = lines[line] ?? '';
        return text + ' '.repeat(Math.max(0, (widths[at] ?? 0) - widthOf(text)));
      })
      .join(paint.dim(' │ '))
      .trimEnd(),
  );
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}

type Paints = readonly ((text: string) => string)[];

interface Span {
  text: string;
  paints: Paints;
}

function spansOf(
  tokens: readonly Token[],
  options: Omit<MarkdownOptions, 'columns'>,
  paints: Paints = [],
): Span[] {
  const { paint, links } = options;
  return tokens.flatMap((token): Span[] => {
    const inner = (more: Paints) => spansOf(tokensOf(token), options, [...paints, ...more]);
    switch (token.type) {
      case 'strong':
        return inner([paint.bold]);
      case 'em':
        return inner([paint.italic]);
      case 'del':
        return inner([paint.dim]);
      case 'codespan':
        return [codeSpan(token as Tokens.Codespan, options, paints)];
      case 'br':
        return [{ text: '\n', paints }];
      case 'link':
        return linkSpans(token as Tokens.Link, inner, { paints: [...paints, paint.dim], paint, links });
      case 'image':
        return [{ text: token.raw, paints }];
      default:
        if (tokensOf(token).length > 0) return inner([]);
        return [{ text: 'text' in token ? token.text : token.raw, paints }];
    }
  });
}

function codeSpan(
  { text, raw }: Tokens.Codespan,
  { paint, links }: Omit<MarkdownOptions, 'columns'>,
  paints: Paints,
): Span {
  const file = links?.file(text);
  const shown = paint.hasStyles ? text : raw;
  return { text: shown, paints: [...paints, paint.note, ...(file === undefined ? [] : [file])] };
}

/** Only the address itself becomes a link: another text could name another target. */
function linkSpans(
  { href, text }: Tokens.Link,
  inner: (paints: Paints) => Span[],
  { paints, paint, links }: Omit<MarkdownOptions, 'columns'> & { paints: Paints },
): Span[] {
  const address = links?.address(href);
  const opens = address === undefined ? [] : [address];
  if (text === href) return inner([paint.underline, ...opens]);
  const isShown = `mailto:${text}` === href || `http://${text}` === href;
  if (isShown) return inner([paint.underline]);
  return [
    ...inner([paint.underline]),
    { text: ' (', paints },
    { text: href, paints: [...paints, ...opens] },
    { text: ')', paints },
  ];
}

function spanWidth(spans: readonly Span[]): number {
  return widthOf(spans.map(({ text }) => text).join(''));
}

/** Breaks text at blanks. A line break in a paragraph is a blank; a hard line break is a span of its own and stays. */
function wrapSpans(spans: readonly Span[], columns: number): string[] {
  const lines: string[] = [];
  let line = '';
  let width = 0;
  for (const word of wordsOf(spans)) {
    if (word === 'break') {
      lines.push(line);
      [line, width] = ['', 0];
      continue;
    }
    if (width > 0 && width + 1 + word.width > columns) {
      lines.push(line);
      [line, width] = ['', 0];
    }
    line += (width > 0 ? ' ' : '') + word.text;
    width += (width > 0 ? 1 : 0) + word.width;
  }
  return line === '' ? lines : [...lines, line];
}

type Word = { text: string; width: number } | 'break';

function wordsOf(spans: readonly Span[]): Word[] {
  const words: Word[] = [];
  let isOpen = false;
  for (const { text, paints } of spans) {
    if (text === '\n') {
      words.push('break');
      isOpen = false;
      continue;
    }
    for (const piece of text.split(/(\s+)/)) {
      if (piece.trim() === '') {
        isOpen &&= piece === '';
        continue;
      }
      const painted = paints.reduce((shown, paint) => paint(shown), piece);
      const last = words.at(-1);
      if (isOpen && last !== undefined && last !== 'break') {
        last.text += painted;
        last.width += widthOf(piece);
      } else words.push({ text: painted, width: widthOf(piece) });
      isOpen = true;
    }
  }
  return words;
}
