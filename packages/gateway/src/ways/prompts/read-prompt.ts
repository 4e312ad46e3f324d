import { isRecord } from '../../wire/is-record.ts';
import type { Json } from '../../wire/json.ts';
import { countOf, textOf } from '../fields.ts';

/** A request whose prompt is one text. */
export interface Prompt {
  model: string;
  /** The text of the longest prompt, with instructions beside it. */
  text: string;
  /** Tokens that the request contains as numbers. */
  tokens: number;
  /** The window that the request itself asks for. */
  windowTokens: number | undefined;
}

/** Returns undefined for a body that cannot be read. The upstream then reports the error. */
export function readPrompt(plain: Buffer): Prompt | undefined {
  const json = parsed(plain);
  if (json === undefined) return undefined;
  const { text, tokens } = largestOf(json['prompt']);
  const options = isRecord(json['options']) ? json['options'] : {};
  return {
    model: textOf(json['model']),
    text: textOf(json['system']) + text + textOf(json['suffix']),
    tokens: tokens + lengthOf(json['context']),
    windowTokens: countOf(options['num_ctx']),
  };
}

function parsed(plain: Buffer): Json | undefined {
  try {
    const json: unknown = JSON.parse(plain.toString('utf8'));
    return isRecord(json) ? json : undefined;
  } catch {
    return undefined;
  }
}

/** A prompt is a text or a list of tokens. A list of prompts gives an answer to each. */
function largestOf(prompt: unknown): Pick<Prompt, 'text' | 'tokens'> {
  if (!Array.isArray(prompt)) return { text: textOf(prompt), tokens: 0 };
  if (prompt.every((each) => typeof each === 'number')) return { text: '', tokens: prompt.length };
  const texts = prompt.map(textOf).toSorted((one, other) => other.length - one.length);
  return {
    text: texts[0] ?? '',
    tokens: prompt.reduce<number>((most, each) => Math.max(most, lengthOf(each)), 0),
  };
}

function lengthOf(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}
