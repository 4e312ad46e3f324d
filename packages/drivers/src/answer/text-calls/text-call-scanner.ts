import { isQuoted } from '@longhaul/models';
import { isBareCall } from './bare-json.ts';
import { OPENERS } from './text-calls.ts';

/** Holds back the part of a streamed text that can be tool calls. */
export interface TextCallScanner {
  /** Returns the text to pass on now. */
  push(text: string): string;
  /** The text that is held back begins like a tool call. */
  readonly isCall: boolean;
  /** Returns the text that is held back. */
  take(): string;
}

const OPENER = new RegExp(OPENERS.map((opener) => RegExp.escape(opener)).join('|'), 'g');
/** The first characters of openers. Text without them is passed on at once. */
const FIRST = new RegExp(`[${RegExp.escape([...new Set(OPENERS.map((opener) => opener[0]))].join(''))}]`);
const LONGEST = Math.max(...OPENERS.map((opener) => opener.length));

/**
 * Creates a scanner for the text of one answer. It passes text on until a call begins outside of code and quotations, and
 * holds back everything from there: a call is the end of an answer.
 *
 * @param isTool Whether a name means a tool.
 */
export function createTextCallScanner(isTool: (name: string) => boolean): TextCallScanner {
  let passed = '';
  let hasPassed = false;
  let held = '';
  let isCall = false;

  const pass = (text: string): string => {
    passed += text;
    hasPassed ||= text.trim() !== '';
    return text;
  };
  /** Holds back everything from `at`. */
  const hold = (at: number): string => {
    const text = pass(held.slice(0, at));
    held = held.slice(at);
    return text;
  };
  const release = (): string => {
    const text = pass(held);
    held = '';
    return text;
  };

  return {
    push(text) {
      held += text;
      if (isCall) return '';
      if (!hasPassed) {
        const bare = isBareCall(held, isTool);
        isCall = bare === true;
        if (bare !== false) return '';
      }
      if (!FIRST.test(held)) return release();
      for (const match of held.matchAll(OPENER)) {
        if (isQuoted(passed + held.slice(0, match.index))) continue;
        isCall = true;
        return hold(match.index);
      }
      return hold(held.length - partialOpener(held));
    },
    get isCall() {
      return isCall;
    },
    take() {
      isCall = false;
      return release();
    },
  };
}

/** Returns how many characters at the end of the text can be the beginning of an opener. */
function partialOpener(text: string): number {
  for (let length = Math.min(LONGEST - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (OPENERS.some((opener) => opener.startsWith(end))) return length;
  }
  return 0;
}
