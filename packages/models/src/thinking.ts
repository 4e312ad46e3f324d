import { endsThoughts, firstClosing } from './orphan-tag.ts';

/** The tags between which models think, if their server does not separate thoughts from the answer. */
const TAGS: readonly (readonly [open: string, close: string])[] = [
  ['<think>', '</think>'],
  ['<thinking>', '</thinking>'],
  ['<thought>', '</thought>'],
  ['<reasoning>', '</reasoning>'],
  ['<seed:think>', '</seed:think>'],
  ['<mm:think>', '</mm:think>'],
  ['[THINK]', '[/THINK]'],
  ['◁think▷', '◁/think▷'],
];

/** The analysis of gpt-oss. Its end token also ends other messages, so that it closes nothing that was not opened. */
const ANALYSIS: typeof TAGS = ['', '<|start|>assistant'].map((start) => [
  `${start}<|channel|>analysis<|message|>`,
  '<|end|>',
]);

const OPENING_TAGS = [...TAGS, ...ANALYSIS];

/** `text-was-reasoning`: all text so far was a thought, because a tag closes it that was never opened. */
export type AnswerPiece = { kind: 'text' | 'reasoning'; text: string } | { kind: 'text-was-reasoning' };

/** Separates the thoughts of a streamed answer from its text. */
export interface ThinkingSplitter {
  push(text: string): AnswerPiece[];
  /** Returns what was held back. Thoughts without an end stay thoughts. */
  end(): AnswerPiece[];
}

/**
 * Creates a splitter for one text of an answer. Thoughts are recognised at the beginning of the text, and directly
 * after other thoughts. An opening tag anywhere else is part of the text, because an answer can write about the tags. A
 * closing tag without an opening one turns the text before it into thoughts.
 */
export function createThinkingSplitter(): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'text' = 'start';
  let held = '';
  let close = '';
  let hasThought = false;
  let said = '';

  const say = (pieces: AnswerPiece[], end: number): void => {
    const text = held.slice(0, end);
    held = held.slice(end);
    if (text !== '') pieces.push({ kind: 'text', text });
    if (!hasThought) said += text;
  };
  const stepInText = (pieces: AnswerPiece[], isEnd: boolean): true | undefined => {
    const found = hasThought ? undefined : firstClosing(held, TAGS);
    if (found === undefined) {
      say(pieces, hasThought || isEnd ? held.length : held.length - partialClosing(held));
      return undefined;
    }
    say(pieces, found.at);
    const { tag } = found;
    const next = held.charAt(tag.length);
    if (next === '' && !isEnd) return undefined;
    if (!endsThoughts(said, found, next)) {
      say(pieces, tag.length);
      return true;
    }
    pieces.push({ kind: 'text-was-reasoning' });
    held = held.slice(tag.length);
    hasThought = true;
    state = 'start';
    return true;
  };
  /** Takes one step. Returns undefined if it needs more text. */
  const step = (pieces: AnswerPiece[], isEnd = false): true | undefined => {
    if (state === 'text') return stepInText(pieces, isEnd);
    if (state === 'thinking') {
      const end = held.indexOf(close);
      const safe = end === -1 ? held.length - partialEnd(held, close) : end;
      if (safe > 0) pieces.push({ kind: 'reasoning', text: held.slice(0, safe) });
      held = held.slice(safe);
      if (end === -1 && isEnd && held !== '') pieces.push({ kind: 'reasoning', text: held });
      if (end === -1) return undefined;
      held = held.slice(close.length);
      state = 'start';
      return true;
    }
    const begun = held.trimStart();
    const tag = OPENING_TAGS.find(([open]) => begun.startsWith(open));
    if (tag === undefined && OPENING_TAGS.some(([open]) => open.startsWith(begun)) && !isEnd)
      return undefined;
    if (tag === undefined) {
      if (hasThought) held = begun;
      state = 'text';
    } else {
      held = begun.slice(tag[0].length);
      close = tag[1];
      hasThought = true;
      state = 'thinking';
    }
    return true;
  };

  return {
    push(text) {
      const pieces: AnswerPiece[] = [];
      held += text;
      while (step(pieces)) {}
      return pieces;
    },
    end() {
      const pieces: AnswerPiece[] = [];
      while (step(pieces, true)) {}
      held = '';
      return pieces;
    },
  };
}

/** Separates the thoughts of a complete answer from its text. */
export function separateThoughts(answer: string): { text: string; thoughts: string } {
  const splitter = createThinkingSplitter();
  let text = '';
  let thoughts = '';
  for (const piece of [...splitter.push(answer), ...splitter.end()]) {
    if (piece.kind === 'text') text += piece.text;
    else if (piece.kind === 'reasoning') thoughts += piece.text;
    else {
      thoughts += text;
      text = '';
    }
  }
  return { text, thoughts };
}

export function withoutThoughts(answer: string): string {
  return separateThoughts(answer).text;
}

/** Returns how many characters at the end of the text can be the beginning of a closing tag. */
function partialClosing(text: string): number {
  return Math.max(...TAGS.map(([, close]) => partialEnd(text, close)));
}

/** Returns how many characters at the end of the text can be the beginning of the tag. */
function partialEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
