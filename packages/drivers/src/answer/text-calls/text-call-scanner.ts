import { QuotationTracker } from '@longhaul/models';
import { canBeginCalls, canBeginWithinLine } from './forms.ts';
import type { IsTool } from './text-call-form.ts';
import type { CallText } from './text-call-verdict.ts';

/** Holds back the part of a streamed text that can be tool calls. */
export interface TextCallScanner {
  /** Returns the text to pass on now. */
  push(text: string): string;
  /** The next text begins a block of its own. */
  startBlock(): void;
  /** Returns the text so far, divided where calls can begin. Nothing is held back any more. */
  take(): CallText;
}

/** A text that can be a call after so many characters is held back. */
const DECISIVE_CHARS = 400;

/** The end of a line with the indentation of the next one, and what can be between a sentence and a call. */
const BEFORE_PLACE = /\n {0,3}(?=[^ \n])|^ {1,3}(?=[^ \n])|[^\p{L}\p{N}_](?=[<[{A])/gu;
/** A line that ends with punctuation, a symbol or a special token. A word before a mark makes it part of a sentence. */
const AFTER_SENTENCE =
  /(?:[.!?…:;,。！？：；，、)*_~–—-]|\p{Extended_Pictographic}\uFE0F?|\|>)[ \t\u00A0\u3000]*$/u;
/** A line that is only the mark of a list or a heading so far. */
const ITEM = /^\s*(?:[-*+•–—]|\d+[.)]|#+)?\s*$/;

/**
 * Creates a scanner for the text of one answer. It passes text on until a call can begin outside of code and
 * quotations: at the beginning of a line, or after punctuation within it. It holds back everything from there as long
 * as it can be a call, because a call is the end of an answer.
 */
export function createTextCallScanner(isTool: IsTool): TextCallScanner {
  let passed = '';
  let held = '';
  const quotation = new QuotationTracker();

  const pass = (length: number): string => {
    const text = held.slice(0, length);
    held = held.slice(length);
    passed += text;
    quotation.push(text);
    return text;
  };
  const canBegin = (): boolean => {
    const { line } = quotation;
    if (/^ {0,3}$/.test(line)) return canBeginCalls(held, isTool) && !quotation.isQuoted;
    if (!canBeginWithinLine(held, isTool) || ITEM.test(line)) return false;
    return AFTER_SENTENCE.test(line) && !quotation.isQuoted;
  };

  return {
    push(text) {
      const isDecided = held.length > DECISIVE_CHARS;
      held += text;
      if (isDecided) return '';
      let shown = '';
      while (held !== '' && !canBegin()) shown += pass(nextPlace(held));
      return shown;
    },
    startBlock() {
      if (held === '' && quotation.line !== '') quotation.push('\n');
    },
    take() {
      const taken = { before: passed, text: held };
      pass(held.length);
      return taken;
    },
  };
}

/** Returns the first place after the beginning of a text where a call can begin, or its end. */
function nextPlace(text: string): number {
  BEFORE_PLACE.lastIndex = 0;
  const found = BEFORE_PLACE.exec(text);
  return found === null ? text.length : found.index + found[0].length;
}
