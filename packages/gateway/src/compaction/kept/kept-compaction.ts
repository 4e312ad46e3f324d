import type { Compaction, CutMark, Mark, PruneMark } from '@longhaul/protocol';
import { parseRanges, rangesOf } from './number-ranges.ts';

/** A compaction as it is kept: for whom a conversation begins with the messages it stands for, it holds. */
export interface KeptCompaction {
  /** The window it was made for. */
  readonly windowTokens: number;
  readonly compaction: Compaction;
  readonly marks: readonly KeptMark[];
  readonly coverage?: Coverage | undefined;
}

/** A cut or pruned message. It holds where the conversation is the same up to and with that message. */
export interface KeptMark {
  readonly mark: CutMark | PruneMark;
  /** Hash of the conversation there. */
  readonly chain: string;
}

/** Which messages a compaction covers, so that it is recognised where a client has dropped the oldest of them. */
export interface Coverage {
  /** Short hashes of the messages up to the last that is hidden or cut: in order, and of those that are covered only the newest. */
  readonly digests: readonly string[];
  /** How many of these are covered: up to the last that is hidden. */
  readonly covered: number;
  /** Which of these are hidden, as ranges. */
  readonly hidden: string;
  /** Where among these the message of each kept mark begins, in the order of the marks. */
  readonly marks: readonly number[];
}

/** The newest compaction names all that is hidden, so with the cuts and prunings of what is visible it says everything. */
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

/** Marks that hold for a conversation with these hashes. */
export function marksFor(
  { compaction, marks, ...kept }: KeptCompaction,
  {
    chain,
    windowTokens,
    mostTokens,
  }: { chain: ReadonlySet<string>; windowTokens: number; mostTokens: number },
): Mark[] {
  // How far it came says when the next one is due, in the window it was made for, and where it leaves the answer its room.
  const isFarEnough = kept.windowTokens === windowTokens && compaction.tokensAfter <= mostTokens;
  const reached = isFarEnough ? compaction.tokensAfter : 0;
  const holding = marks.filter((mark) => chain.has(mark.chain)).map(({ mark }) => mark);
  return [{ ...compaction, tokensAfter: reached }, ...holding];
}

interface StoredCompaction {
  version: 1;
  windowTokens: number;
  /** `hides` as ranges of sequence numbers: a long conversation hides thousands. */
  compaction: Omit<Compaction, 'hides'> & { hides: string };
  marks: readonly KeptMark[];
  coverage?: Coverage | undefined;
}

export function storedText({ windowTokens, compaction, marks, coverage }: KeptCompaction): string {
  const hides = rangesOf(compaction.hides.map((id) => Number(id.slice(1))));
  const kept = { windowTokens, compaction: { ...compaction, hides }, marks, coverage };
  return JSON.stringify({ version: 1, ...kept } satisfies StoredCompaction);
}

/** Undefined for what is of another version or damaged: then it is as if nothing had been kept. */
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
