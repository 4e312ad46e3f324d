import { BytePairMerger } from './byte-pair-merge.ts';
import { isBorder } from './joints.ts';
import type { Splitting } from './splittings.ts';
import { endOfPiece, MAX_PIECE_CHARS } from './text-pieces.ts';
import { Utf8Text } from './utf8-text.ts';
import type { Vocabulary } from './vocabulary.ts';
import { WordMemo } from './word-memo.ts';

/** From this length on, merging takes longer than a lookup. */
const MEMO_MIN_BYTES = 12;

/** Counts the tokens of texts. It has buffers and a memory of words, so each thread uses one for each family. */
export class TextCounter {
  readonly #vocabulary: Vocabulary;
  readonly #splitting: Splitting;
  readonly #merger: BytePairMerger;
  readonly #utf8 = new Utf8Text(MAX_PIECE_CHARS + 1);
  readonly #memo = new WordMemo();

  constructor(vocabulary: Vocabulary, splitting: Splitting) {
    this.#vocabulary = vocabulary;
    this.#splitting = splitting;
    this.#merger = new BytePairMerger(vocabulary);
  }

  /** Linear in the length of the text. Never throws. */
  count(text: string): number {
    let tokens = 0;
    for (let start = 0; start < text.length; ) {
      const end = endOfPiece(text, start);
      tokens += this.#countPiece(this.#prepare(text.slice(start, end), start === 0));
      start = end;
    }
    return tokens;
  }

  #prepare(piece: string, isFirst: boolean): string {
    if (this.#splitting.composes === true) return piece.normalize('NFC');
    if (this.#splitting.symbols === 'bytes') return piece;
    return (isFirst ? '▁' : '') + piece.replaceAll(' ', '▁');
  }

  #countPiece(piece: string): number {
    const { words } = this.#splitting;
    this.#utf8.set(piece);
    let tokens = 0;
    words.lastIndex = 0;
    for (let start = 0; start < piece.length; ) {
      const end = words.test(piece) ? words.lastIndex : piece.length;
      tokens += this.#countWord(piece, start, end);
      start = end;
    }
    return tokens;
  }

  #countWord(piece: string, start: number, end: number): number {
    const first = this.#utf8.offsets[start] ?? 0;
    const last = this.#utf8.offsets[end] ?? 0;
    if (last - first === 1 || this.#vocabulary.rankOf(this.#utf8.bytes, first, last) >= 0) return 1;
    if (last - first < MEMO_MIN_BYTES) return this.#merge(first, last);
    const word = piece.slice(start, end);
    const known = this.#memo.get(word);
    if (known !== undefined) return known;
    const isAscii = last - first === end - start;
    const tokens = isAscii ? this.#merge(first, last) : this.#countSegments(piece, start, end);
    this.#memo.set(word, tokens);
    return tokens;
  }

  /**
   * Merges a long word in an alphabet like Chinese as parts that no token connects. The count is the same, and most
   * parts are short.
   */
  #countSegments(piece: string, start: number, end: number): number {
    const { bytes, offsets } = this.#utf8;
    const { joints } = this.#vocabulary;
    const first = offsets[start] ?? 0;
    const last = offsets[end] ?? 0;
    let tokens = 0;
    let from = start;
    for (let index = start + 1; index < end; index += 1) {
      const border = offsets[index] ?? 0;
      if (!isBorder(bytes, border) || joints.mayJoin(bytes, first, border, last)) continue;
      tokens += this.#countSegment(piece, from, index);
      from = index;
    }
    return tokens + this.#countSegment(piece, from, end);
  }

  #countSegment(piece: string, start: number, end: number): number {
    const first = this.#utf8.offsets[start] ?? 0;
    const last = this.#utf8.offsets[end] ?? 0;
    if (last - first < MEMO_MIN_BYTES) return this.#merge(first, last);
    const segment = piece.slice(start, end);
    const known = this.#memo.get(segment);
    if (known !== undefined) return known;
    const tokens = this.#merge(first, last);
    this.#memo.set(segment, tokens);
    return tokens;
  }

  #merge(first: number, last: number): number {
    return this.#splitting.symbols === 'bytes'
      ? this.#merger.countBytes(this.#utf8.bytes, first, last)
      : this.#merger.countCharacters(this.#utf8.bytes, first, last);
  }
}
