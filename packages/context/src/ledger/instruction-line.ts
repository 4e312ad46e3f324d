import type { TokenCounter } from '../tokens.ts';
import type { InstructionFact } from './ledger-facts.ts';

export interface Line {
  fact: InstructionFact;
  text: string;
  /** Includes the line break. `Infinity` for a text that is too long to be worth counting. */
  tokens: number;
}

export interface Room {
  tokens: number;
  shareTokens: number;
  count: TokenCounter;
}

/** Texts with more characters for each token of the room are not counted. */
export const MAX_CHARS_PER_TOKEN = 64;

export function wholeLine(fact: InstructionFact, { tokens: maxTokens, count }: Room): Line {
  const text = instructionLine(fact);
  const isTooLong = text.length > maxTokens * MAX_CHARS_PER_TOKEN;
  return { fact, text, tokens: isTooLong ? Number.POSITIVE_INFINITY : count(text) + 1 };
}

/**
 * Returns an instruction as an item of a list, with the question that it answers. Its lines are indented, so none of
 * them can be read as a heading of the ledger.
 */
export function instructionLine({ handle, text, answers }: InstructionFact): string {
  const question = answers === undefined ? '' : `to the question “${answers}”: `;
  return `- (${handle}) ${question}${text.trim().replace(/\n(?=[^\n])/g, '\n  ')}`;
}
