import type { Compaction, CutMark, Mark, PruneMark } from '@longhaul/protocol';
import { parseRanges, rangesOf } from './number-ranges.ts';

/** A stored compaction. It applies to every conversation that begins with the messages it covers. */
export interface KeptCompaction {
  /** The window for which the compaction was made. */
  readonly windowTokens: number;
  readonly compaction: Compaction;
  readonly marks: readonly KeptMark[];
  readonly coverage?: Coverage | undefined;
  /** Places of first messages that the client has changed since, or renews each turn. Never stored. */
  readonly renewed?: readonly number[] | undefined;
}

/** A mark of a cut or pruned message. It applies if the conversation is the same up to and including that message. */
export interface KeptMark {
  readonly mark: CutMark | PruneMark;
  /** Hash of the conversation up to and including the message. */
  readonly chain: string;
}

/**
 * The messages that a compaction covers. With it, the compaction is found even if a client has dropped the oldest of
 * them.
 */
export interface Coverage {
  /**
   * Short hashes of the messages up to the last hidden or cut one, in order. They begin at most 1,024 messages before the
   * end of the covered ones.
   */
  readonly digests: readonly string[];
  /** How many of `digests` are covered: up to the last hidden message. */
  readonly covered: number;
  /** Positions of the hidden messages in `digests`, as ranges. */
  readonly hidden: string;
  /** For each of the stored marks, the position in `digests` where its message begins. */
  readonly marks: readonly number[];
  /** Positions in `digests` of messages that the client renews each turn. */
  readonly renews?: readonly number[];
}

/**
 * Returns what to store of these marks: the newest compaction, which names all hidden messages, and the cuts and
 * prunings of visible ones. Returns undefined without a compaction.
 */
export function toKept(
  marks: readonly Mark[],
  { windowTokens, chainAt }: { windowTokens: number; chainAt: (messageId: string) => string | undefined },
): KeptCompaction | undefined {
  const compaction = marks.findLast((mark) => mark.kind === 'compaction');
  if (compaction === undefined) return undefined;
  const hidden = new Set(compaction.hides);
  const kept = marks.flatMap((mark) => {
    if ((mark.kind !== 'cut' && mark.kind !== 'prune') || hidden.has(mark.messageId)) return [];
    const chain = chainAt(mark.messageId);
    return chain === undefined ? [] : [{ mark, chain }];
  });
  return { windowTokens, compaction, marks: kept };
}

/** Returns the stored marks that apply to a conversation with these hashes. */
export function marksFor(
  { compaction, marks, ...kept }: KeptCompaction,
  {
    chain,
    windowTokens,
    maxRequestTokens,
  }: { chain: ReadonlySet<string>; windowTokens: number; maxRequestTokens: number },
): Mark[] {
  // `tokensAfter` delays the next compaction. That is right only in the same window and if the answer has its room; 0
  // means no delay.
  const delaysNext = kept.windowTokens === windowTokens && compaction.tokensAfter <= maxRequestTokens;
  const tokensAfter = delaysNext ? compaction.tokensAfter : 0;
  const applying = marks.filter((mark) => chain.has(mark.chain)).map(({ mark }) => mark);
  return [{ ...compaction, tokensAfter }, ...applying];
}

interface StoredCompaction {
  version: 1;
  windowTokens: number;
  /** `hides` is stored as ranges of sequence numbers, because a long conversation hides thousands of messages. */
  compaction: Omit<Compaction, 'hides'> & { hides: string };
  marks: readonly KeptMark[];
  coverage?: Coverage | undefined;
}

export function storedText({ windowTokens, compaction, marks, coverage }: KeptCompaction): string {
  const hides = rangesOf(compaction.hides.map((id) => Number(id.slice(1))));
  const kept = { windowTokens, compaction: { ...compaction, hides }, marks, coverage };
  return JSON.stringify({ version: 1, ...kept } satisfies StoredCompaction);
}

/** Returns undefined for a damaged text or another version. The caller then treats the compaction as missing. */
export function readStored(text: string): KeptCompaction | undefined {
  const { version, windowTokens, compaction, marks, coverage } = parse(text);
  if (version !== 1 || typeof windowTokens !== 'number' || !Array.isArray(marks)) return undefined;
  if (typeof compaction?.hides !== 'string' || typeof compaction.summary?.ledger !== 'string')
    return undefined;
  const hides = parseRanges(compaction.hides).map((sequence) => `m${sequence}`);
  return { windowTokens, compaction: { ...compaction, hides }, marks, coverage };
}

function parse(text: string): Partial<StoredCompaction> {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}
