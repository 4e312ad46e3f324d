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

export interface AnswerPiece {
  kind: 'text' | 'reasoning';
  text: string;
}

/** Separates the thoughts of a streamed answer from its text. */
export interface ThinkingSplitter {
  push(text: string): AnswerPiece[];
  /** Returns what was held back. Thoughts without an end stay thoughts. */
  end(): AnswerPiece[];
}

/**
 * Creates a splitter for one text of an answer. Thoughts are recognised at the beginning of the text, and directly after
 * other thoughts. A tag anywhere else is part of the text, because an answer can write about the tags.
 */
export function createThinkingSplitter(): ThinkingSplitter {
  let state: 'start' | 'thinking' | 'text' = 'start';
  let held = '';
  let close = '';
  let hasThought = false;

  /** Takes one step. Returns undefined if it needs more text. */
  const step = (pieces: AnswerPiece[]): true | undefined => {
    if (state === 'text') {
      if (held !== '') pieces.push({ kind: 'text', text: held });
      held = '';
      return undefined;
    }
    if (state === 'thinking') {
      const end = held.indexOf(close);
      const safe = end === -1 ? held.length - partialEnd(held, close) : end;
      if (safe > 0) pieces.push({ kind: 'reasoning', text: held.slice(0, safe) });
      held = held.slice(safe);
      if (end === -1) return undefined;
      held = held.slice(close.length);
      state = 'start';
      return true;
    }
    const said = held.trimStart();
    const tag = TAGS.find(([open]) => said.startsWith(open));
    if (tag === undefined && TAGS.some(([open]) => open.startsWith(said))) return undefined;
    if (tag === undefined) {
      if (hasThought) held = said;
      state = 'text';
    } else {
      held = said.slice(tag[0].length);
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
      const text = hasThought && state === 'start' ? held.trimStart() : held;
      held = '';
      return text === '' ? [] : [{ kind: state === 'thinking' ? 'reasoning' : 'text', text }];
    },
  };
}

/**
 * Returns the text of a complete answer without its thoughts. Also removes thoughts without an opening tag: some chat
 * templates open them in the prompt.
 */
export function withoutThoughts(answer: string): string {
  const splitter = createThinkingSplitter();
  const pieces = [...splitter.push(answer), ...splitter.end()];
  const text = pieces.map((piece) => (piece.kind === 'text' ? piece.text : '')).join('');
  if (text !== answer) return text;
  const orphan = TAGS.find(([open, close]) => answer.includes(close) && !answer.includes(open));
  return orphan === undefined
    ? answer
    : answer.slice(answer.indexOf(orphan[1]) + orphan[1].length).trimStart();
}

/** Returns how many characters at the end of the text can be the beginning of the tag. */
function partialEnd(text: string, tag: string): number {
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}
