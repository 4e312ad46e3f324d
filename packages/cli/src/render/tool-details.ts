import { type EventOf, type JsonObject, type JsonValue, subtaskOf } from '@longhaul/protocol';
import { type ChangeLine, changeLines } from './change-lines.ts';
import { cutLine, printable, widthOf } from './format.ts';
import type { Paint } from './paint.ts';
import { WordWrapper, wrapText } from './word-wrapper.ts';

const DIFF_LINES = 12;
const OUTPUT_LINES = 3;
const FAILURE_LINES = 12;
const INDENT = '    ';

export interface ToolDetailsOptions {
  args: JsonValue;
  metadata?: JsonObject;
  columns: number;
  paint: Paint;
  /** Everything, however long. */
  verbose: boolean;
}

type Result = Pick<EventOf<'llm:tool-result'>, 'toolName' | 'success' | 'sanitized'>;

/**
 * The lines below a tool's line: the change of a file, the end of a command's output, the whole reason of a failure.
 */
export function toolDetails(result: Result, options: ToolDetailsOptions): string {
  const lines = result.toolName === 'bash' ? outputLines(result, options) : otherLines(result, options);
  return lines.map((line) => `${INDENT}${line}\n`).join('');
}

function otherLines(result: Result, options: ToolDetailsOptions): string[] {
  if (!result.success) return failureLines(result, options);
  const { args, metadata } = options;
  if (subtaskOf({ metadata }) !== undefined) return answerLines(result, options);
  return diffLines(changeLines({ toolName: result.toolName, args, metadata }), options);
}

/** The beginning of what a child session has answered. */
function answerLines(result: Result, { columns, paint, verbose }: ToolDetailsOptions): string[] {
  const room = columns - INDENT.length;
  const lines = wrapText(textOf(result), room)
    .trimEnd()
    .split('\n')
    .flatMap((line) => brokenAnywhere(line, room));
  const shown = verbose ? lines : lines.slice(0, OUTPUT_LINES);
  return [...shown, ...more(lines.length - shown.length)].map(paint.dim);
}

/** The message of a refused edit shows what is in the file instead, so it is never cut. */
function failureLines(result: Result, { columns, paint, verbose }: ToolDetailsOptions): string[] {
  const room = columns - INDENT.length;
  const wrapper = new WordWrapper(room);
  const text = (wrapper.push(textOf(result).trimEnd()) + wrapper.end()).trimEnd();
  const lines = text === '' ? [] : text.split('\n').flatMap((line) => brokenAnywhere(line, room));
  const isWhole = verbose || result.toolName === 'edit';
  const shown = isWhole ? lines : lines.slice(0, FAILURE_LINES);
  return [...shown, ...more(lines.length - shown.length)].map(paint.dim);
}

function outputLines(result: Result, { columns, paint, verbose }: ToolDetailsOptions): string[] {
  const text = textOf(result).replace(/\n?\[(?:no output, )?exit code \d+\]$/, '');
  const lines = printable(text.replaceAll('\t', '    ')).trimEnd().split('\n');
  if (lines.length === 1 && lines[0] === '') return [];
  if (verbose) return lines.map(paint.dim);
  const shown = lines.slice(result.success ? -OUTPUT_LINES : -FAILURE_LINES);
  return [
    ...more(lines.length - shown.length),
    ...shown.map((line) => cutLine(line, columns - INDENT.length)),
  ].map(paint.dim);
}

function diffLines(lines: readonly ChangeLine[], { columns, paint, verbose }: ToolDetailsOptions): string[] {
  const colors = { '+': paint.good, '-': paint.bad, ' ': paint.dim, '…': paint.dim };
  const shown = verbose ? lines : lines.slice(0, DIFF_LINES);
  const width = Math.max(...shown.map(({ number }) => (number === undefined ? 0 : String(number).length)));
  const texts = shown.map(({ sign, number, text }) => {
    const gutter = width === 0 ? '' : `${String(number ?? '').padStart(width)} `;
    const line = printable(`${gutter}${sign} ${text.replaceAll('\t', '    ')}`).trimEnd();
    return colors[sign](verbose ? line : cutLine(line, columns - INDENT.length));
  });
  return [...texts, ...more(lines.length - shown.length).map(paint.dim)];
}

/** A word that is wider than the terminal is broken inside. */
function brokenAnywhere(line: string, columns: number): string[] {
  const lines: string[] = [];
  let head = '';
  let width = 0;
  for (const character of line) {
    width += widthOf(character);
    if (width > columns) {
      lines.push(head);
      head = '';
      width = widthOf(character);
    }
    head += character;
  }
  return [...lines, head];
}

function more(count: number): string[] {
  return count > 0 ? [`+${count} more ${count === 1 ? 'line' : 'lines'}`] : [];
}

function textOf({ sanitized }: Result): string {
  return sanitized.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
}
