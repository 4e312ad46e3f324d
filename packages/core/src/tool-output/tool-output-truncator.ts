import { endBefore, startAfter } from '@longhaul/context/engine';
import { groupDigits } from './display.ts';

/** Maximum characters (UTF-16 units) of a tool's output for the model, for tools without their own maximum. */
export const DEFAULT_MAX_TOOL_OUTPUT_CHARS = 120_000;

/** The line that ends every truncated output, before the line with the handle. Users' programs search for it. */
export const TRUNCATION_MARKER = '[Output truncated - exceeded maximum length]';

/** How much of an output stays. */
export interface TruncateOptions {
  /** Maximum characters of the output to keep, without the notes. Default `DEFAULT_MAX_TOOL_OUTPUT_CHARS`. */
  maxChars?: number;
  /**
   * `head` keeps the start. `head-tail` keeps start and end equally, for commands, whose errors are at the end. Default
   * `head`.
   */
  keep?: 'head' | 'head-tail';
  /** Handle by which `recall` finds the full output. Absent if it could not be kept. */
  handle?: string;
}

/** An output that may have lost its middle. */
export interface TruncatedOutput {
  /** The text for the model. */
  text: string;
  truncated: boolean;
  /** The limit that was reached. */
  limit?: 'chars';
  charsBefore: number;
  linesBefore: number;
  /** Characters of the kept text, without the notes. */
  charsAfter: number;
}

/**
 * Truncates a tool's output to `maxChars`. Pure. Never splits a surrogate pair, and cuts at the end of a line if one is
 * near.
 *
 * @example truncateToolOutput(text, { maxChars: 30_000, keep: 'head-tail', handle: 'm12.3' }).text
 */
export function truncateToolOutput(text: string, options: TruncateOptions = {}): TruncatedOutput {
  const { maxChars = DEFAULT_MAX_TOOL_OUTPUT_CHARS, keep = 'head', handle } = options;
  const sizes = { charsBefore: text.length, linesBefore: countLines(text) };
  if (text.length <= maxChars) return { ...sizes, text, truncated: false, charsAfter: text.length };

  const cut = keep === 'head' ? keepHead(text, maxChars) : keepHeadAndTail(text, maxChars);
  return {
    ...sizes,
    text: formatToolOutput(cut.text, { handle, chars: text.length }),
    truncated: true,
    limit: 'chars',
    charsAfter: cut.keptChars,
  };
}

export interface KeptText {
  text: string;
  /** Characters of the output in `text`, without the line between head and tail. */
  keptChars: number;
}

function keepHead(text: string, maxChars: number): KeptText {
  const head = cutHead(text, maxChars);
  return { text: head, keptChars: head.length };
}

/**
 * Returns the first and the last half of `maxChars` of an output, with a line between them that counts the missing
 * characters. A stream that holds only its two ends passes them as `text` and `end`, and the length of the whole as
 * `totalChars`.
 */
export function keepHeadAndTail(
  text: string,
  maxChars: number,
  { end = text, totalChars = text.length }: { end?: string; totalChars?: number } = {},
): KeptText {
  const tailChars = Math.floor(maxChars / 2);
  const head = cutHead(text, maxChars - tailChars);
  const tail = cutTail(end, tailChars);
  const keptChars = head.length + tail.length;
  const gap = `[… ${groupDigits(totalChars - keptChars)} chars left out …]`;
  return { text: `${head}${head === '' || head.endsWith('\n') ? '' : '\n'}${gap}\n${tail}`, keptChars };
}

/** What the note in a truncated output says. */
export interface CutNotice {
  /** Absent if the full output could not be kept. */
  handle?: string;
  /** Characters of the full output. */
  chars: number;
}

/**
 * Returns the text for the model: the output, and if it was truncated, the marker and the call that reads the full
 * output.
 */
export function formatToolOutput(text: string, cut?: CutNotice): string {
  if (cut === undefined) return text;
  const rest =
    cut.handle === undefined
      ? `The full output (${groupDigits(cut.chars)} chars) was not kept.`
      : `Full output: recall(${JSON.stringify({ handle: cut.handle })}) (${groupDigits(cut.chars)} chars)`;
  return `${text}${text === '' || text.endsWith('\n') ? '' : '\n'}${TRUNCATION_MARKER}\n${rest}`;
}

/** Returns at most `maxChars` from the start, up to the end of a line if there is one in the last tenth. */
function cutHead(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return '';
  const lineEnd = text.lastIndexOf('\n', maxChars - 1) + 1;
  return text.slice(0, lineEnd >= maxChars * 0.9 && lineEnd > 0 ? lineEnd : endBefore(text, maxChars));
}

/** Returns at most `maxChars` from the end, from the start of a line if there is one in the first tenth. */
function cutTail(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  if (maxChars <= 0) return '';
  const from = text.length - maxChars;
  const lineStart = text.indexOf('\n', from - 1) + 1;
  return text.slice(lineStart > 0 && lineStart <= from + maxChars * 0.1 ? lineStart : startAfter(text, from));
}

function countLines(text: string): number {
  if (text === '') return 0;
  let lines = text.endsWith('\n') ? 0 : 1;
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
