import { writeFile } from 'node:fs/promises';
import { type GgufTensor, ggufFile } from './gguf-file.ts';
import type { PlannedAnswer } from './planned-answer.ts';
import { planToken, tinyTemplate } from './tiny-template.ts';
import { END, isCommon, tinyVocabulary, type Vocabulary } from './tiny-vocabulary.ts';

export interface TinyModelOptions {
  /** The first answer whose condition holds is given. */
  answers: readonly PlannedAnswer[];
  /** Length of the training context that the file states. Default 32,768. */
  trainedTokens?: number;
  /** Whether the chat template knows tools. Default true. */
  hasTools?: boolean;
  /** Default 64. */
  width?: number;
  /** Default 2. */
  layers?: number;
}

/** A call as the model writes it, and as the chat template writes it in a history. */
export function toolCallText(name: string, input: object): string {
  return `<tool_call>\n{"name": "${name}", "arguments": ${spaced(input)}}\n</tool_call>`;
}

/**
 * Writes a small model whose weights make it say planned answers. It is a whole model in the format of llama.cpp, and
 * what it says goes through real inference: the tokens of an answer follow one another because the output row of each
 * points to the embedding of the one before.
 */
export async function writeTinyModel(path: string, options: TinyModelOptions): Promise<void> {
  await writeFile(path, tinyModel(options));
}

const HEADS = 4;
const KV_HEADS = 2;

function tinyModel({
  answers,
  trainedTokens = 32_768,
  hasTools = true,
  width = 64,
  layers = 2,
}: TinyModelOptions): Buffer {
  const chains = piecesOf(answers.map(({ text }) => text));
  const controls = answers.map((_, index) => planToken(index));
  const vocabulary = tinyVocabulary(controls, chains.flat());
  const header = {
    'general.architecture': 'qwen2',
    'general.name': 'tiny',
    'general.alignment': 32,
    'qwen2.context_length': trainedTokens,
    'qwen2.embedding_length': width,
    'qwen2.block_count': layers,
    'qwen2.feed_forward_length': width,
    'qwen2.attention.head_count': HEADS,
    'qwen2.attention.head_count_kv': KV_HEADS,
    'qwen2.attention.layer_norm_rms_epsilon': { float: 1e-6 },
    'qwen2.rope.freq_base': { float: 1e6 },
    'tokenizer.ggml.model': 'gpt2',
    'tokenizer.ggml.pre': 'qwen2',
    'tokenizer.ggml.tokens': vocabulary.tokens,
    'tokenizer.ggml.token_type': vocabulary.kinds,
    'tokenizer.ggml.merges': vocabulary.merges,
    'tokenizer.ggml.eos_token_id': vocabulary.idOf(END),
    'tokenizer.ggml.padding_token_id': vocabulary.idOf(END),
    'tokenizer.ggml.add_bos_token': false,
    'tokenizer.chat_template': tinyTemplate(answers, { hasTools }),
  };
  const sequences = chains.map((pieces, index) => [planToken(index), ...pieces, END]);
  return ggufFile(header, weights(vocabulary, sequences, { width, layers }));
}

/** Splits the answers into pieces, none of which occurs twice. */
function piecesOf(answers: readonly string[]): string[][] {
  const used = new Set<string>();
  return answers.map((answer) => {
    const pieces: string[] = [];
    let piece = '';
    for (const part of answer.match(/<\/?tool_call>|<\/?think>|\s*[^\s<]+|\s+|</g) ?? []) {
      piece += part;
      if (piece.trim() === '' || used.has(piece) || isCommon(piece)) continue;
      used.add(piece);
      pieces.push(piece);
      piece = '';
    }
    if (piece === '') return pieces;
    // The rest is joined with what precedes it until it is unlike all others.
    do piece = `${pieces.pop() ?? ''}${piece}`;
    while (used.has(piece) && pieces.length > 0);
    used.add(piece);
    return [...pieces, piece];
  });
}

function weights(
  { tokens, idOf }: Vocabulary,
  sequences: readonly (readonly string[])[],
  { width, layers }: { width: number; layers: number },
): GgufTensor[] {
  const random = gaussian(1);
  const embeddings = unitRows(tokens.length, width, random);
  const outputs = unitRows(tokens.length, width, random);
  const isPlanned = new Set<number>();
  for (const sequence of sequences) {
    for (const [index, token] of sequence.slice(1).entries()) {
      const to = idOf(token);
      const from = idOf(sequence[index] ?? '');
      for (let column = 0; column < width; column += 1) {
        const before = isPlanned.has(to) ? (outputs[to * width + column] ?? 0) : 0;
        outputs[to * width + column] = before + 8 * (embeddings[from * width + column] ?? 0);
      }
      isPlanned.add(to);
    }
  }
  const kvWidth = (width / HEADS) * KV_HEADS;
  const noise = (name: string, inputs: number, rows: number): GgufTensor => ({
    name,
    shape: [inputs, rows],
    data: Float32Array.from({ length: inputs * rows }, () => random() * 1e-3),
  });
  const constant = (name: string, length: number, value: number): GgufTensor => ({
    name,
    shape: [length],
    data: new Float32Array(length).fill(value),
  });
  return [
    { name: 'token_embd.weight', shape: [width, tokens.length], data: embeddings },
    { name: 'output.weight', shape: [width, tokens.length], data: outputs },
    constant('output_norm.weight', width, 1),
    ...Array.from({ length: layers }, (_, layer) => `blk.${layer}.`).flatMap((block) => [
      constant(`${block}attn_norm.weight`, width, 1),
      constant(`${block}ffn_norm.weight`, width, 1),
      noise(`${block}attn_q.weight`, width, width),
      noise(`${block}attn_k.weight`, width, kvWidth),
      noise(`${block}attn_v.weight`, width, kvWidth),
      noise(`${block}attn_output.weight`, width, width),
      constant(`${block}attn_q.bias`, width, 0),
      constant(`${block}attn_k.bias`, kvWidth, 0),
      constant(`${block}attn_v.bias`, kvWidth, 0),
      noise(`${block}ffn_gate.weight`, width, width),
      noise(`${block}ffn_up.weight`, width, width),
      noise(`${block}ffn_down.weight`, width, width),
    ]),
  ];
}

function unitRows(rows: number, width: number, random: () => number): Float32Array {
  const data = Float32Array.from({ length: rows * width }, random);
  for (let row = 0; row < rows; row += 1) {
    const values = data.subarray(row * width, (row + 1) * width);
    const length = Math.hypot(...values);
    for (let column = 0; column < width; column += 1) values[column] = (values[column] ?? 0) / length;
  }
  return data;
}

/** The same numbers for the same seed, so that a model is the same file everywhere. */
function gaussian(seed: number): () => number {
  let state = seed;
  const uniform = () => {
    state = (state + 0x6d2b79f5) | 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

/** JSON with spaces after `:` and `,`, as `tojson` of chat templates writes it. */
function spaced(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spaced).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([key, each]) => `${JSON.stringify(key)}: ${spaced(each)}`)
    .join(', ')}}`;
}
