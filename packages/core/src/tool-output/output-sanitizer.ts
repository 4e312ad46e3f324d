import type { ToolOutputContent } from '@longhaul/protocol';
import { plural } from './display.ts';

/**
 * Cleans the result of a tool before it is stored and sent. Removes escape sequences and control characters, reduces
 * progress bars to their last state, and replaces lone surrogates, which some providers refuse. Media are unchanged.
 */
export function sanitizeToolResult(content: readonly ToolOutputContent[]): ToolOutputContent[] {
  return content.map((part) => (part.type === 'text' ? { ...part, text: sanitizeText(part.text) } : part));
}

/** A text without these characters needs no cleaning. Tab and line feed are text. */
const NEEDS_CLEANING = /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/;

/** CSI sequences, OSC and other strings up to their end, charset and two-character escapes. */
const ESCAPES = new RegExp(
  [
    '(?:\\x1b\\[|\\x9b)[0-?]*[ -/]*[@-~]?',
    '\\x1b[\\]PX^_][^\\x07\\x1b\\x9c]{0,4096}(?:\\x07|\\x1b\\\\|\\x9c)?',
    '\\x1b[ -/]+[0-~]?',
    '\\x1b[0-~]?',
  ].join('|'),
  'g',
);

/** Returns a text without control sequences, so that it can be stored and shown. */
export function sanitizeText(text: string): string {
  const wellFormed = text.toWellFormed();
  if (!NEEDS_CLEANING.test(wellFormed)) return wellFormed;
  return collapseCarriageReturns(wellFormed.replace(ESCAPES, '')).replace(
    /[\x00-\x08\x0b-\x1f\x7f-\x9f\ufffe\uffff]/g,
    '',
  );
}

/** Reduces `10%\r20%\r100%` to `100%`, as a terminal shows it, and CRLF to LF. */
function collapseCarriageReturns(text: string): string {
  return text.includes('\r') ? text.split('\n').map(lastShown).join('\n') : text;
}

// A regular expression for trailing returns would take quadratic time on a line with many of them.
function lastShown(line: string): string {
  let end = line.length;
  while (end > 0 && line.charCodeAt(end - 1) === 13) end -= 1;
  return end === 0 ? '' : line.slice(line.lastIndexOf('\r', end - 1) + 1, end);
}

const SAMPLE_BYTES = 4096;

/**
 * Returns true if the first 4 KiB are not text: more than a tenth of the characters are control characters, where a
 * byte that is not UTF-8 counts as a third of one; and they are not text in a legacy encoding either, such as Latin-1
 * or Shift-JIS, which has no NUL and almost no control characters.
 */
export function looksBinary(bytes: Uint8Array): boolean {
  return !isUtf8Text(bytes) && !isLegacyText(bytes.subarray(0, SAMPLE_BYTES));
}

function isUtf8Text(bytes: Uint8Array): boolean {
  let start = 0;
  // A chunk of a stream may begin and end inside a character.
  while (start < 3 && ((bytes[start] ?? 0) & 0xc0) === 0x80) start += 1;
  const sample = new TextDecoder().decode(bytes.subarray(start, SAMPLE_BYTES), { stream: true });
  let suspicious = 0;
  for (let index = 0; index < sample.length; index += 1) {
    const code = sample.charCodeAt(index);
    if (code === 0xfffd) suspicious += 1 / 3;
    else if (isControl(code)) suspicious += 1;
  }
  return suspicious <= sample.length / 10;
}

/** Compressed and random data have a control character in eleven bytes. */
const MOST_LEGACY_CONTROLS = 0.02;

function isLegacyText(sample: Uint8Array): boolean {
  if (sample.includes(0)) return false;
  return sample.filter(isControl).length <= sample.length * MOST_LEGACY_CONTROLS;
}

/** Whether a byte or a character is a control character that no text has. */
function isControl(code: number): boolean {
  return code < 32 && !(code >= 7 && code <= 13) && code !== 27;
}

/** Returns the text that replaces binary output. */
export function binaryNotice(bytes: number): string {
  return `[binary output: ${plural(bytes, 'byte')}]`;
}

/** Maximum length of an unfinished line that is held back, so that a progress bar in it can be reduced. */
const MAX_PENDING_CHARS = 64 * 1024;

/** Converts the bytes of a stream to clean text. Memory is bounded by one chunk and one line. */
export interface StreamSanitizer {
  /** Returns the text that is now final: usually all complete lines. */
  push(chunk: Uint8Array): string;
  /** Returns the remaining text. */
  end(): string;
}

/** Replaces each run of binary chunks by one line with the number of their bytes. */
export function createStreamSanitizer(): StreamSanitizer {
  const decoder = new TextDecoder();
  let pending = '';
  let binaryBytes = 0;

  function takeBinaryNotice(): string {
    if (binaryBytes === 0) return '';
    const notice = `${binaryNotice(binaryBytes)}\n`;
    binaryBytes = 0;
    return notice;
  }

  function takeAll(): string {
    const text = sanitizeText(pending + decoder.decode());
    pending = '';
    return text;
  }

  function takeFinished(): string {
    const lineEnd = pending.lastIndexOf('\n') + 1;
    const finished = pending.slice(0, lineEnd);
    pending = pending.slice(lineEnd);
    if (pending.length <= MAX_PENDING_CHARS) return sanitizeText(finished);
    // The line is too long. First drop overwritten states of a progress bar; if it is still too long, release it in
    // pieces.
    const lastReturn = pending.lastIndexOf('\r', pending.length - 2);
    if (lastReturn > 0) pending = pending.slice(lastReturn + 1);
    if (pending.length <= MAX_PENDING_CHARS) return sanitizeText(finished);
    const keepFrom = holdBackFrom(pending);
    const piece = finished + pending.slice(0, keepFrom);
    pending = pending.slice(keepFrom);
    return sanitizeText(piece);
  }

  return {
    push(chunk) {
      if (looksBinary(chunk)) {
        const before = binaryBytes === 0 ? takeAll() : '';
        binaryBytes += chunk.length;
        return before === '' || before.endsWith('\n') ? before : `${before}\n`;
      }
      const notice = takeBinaryNotice();
      pending += decoder.decode(chunk, { stream: true });
      return notice + takeFinished();
    },
    end() {
      return takeBinaryNotice() + takeAll();
    },
  };
}

/** Returns the index from which the text may be an incomplete escape sequence or surrogate pair. */
function holdBackFrom(text: string): number {
  const escapeStart = text.lastIndexOf('\x1b');
  if (escapeStart > 0 && text.length - escapeStart < 64) return escapeStart;
  const last = text.charCodeAt(text.length - 1);
  return last >= 0xd800 && last <= 0xdbff ? text.length - 1 : text.length;
}
