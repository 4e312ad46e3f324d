import { ledgerTokens } from '../budget.ts';
import { acceptedKeptTokens, keptSection } from '../ledger/kept-facts.ts';
import { summaryFrame } from '../summary-message.ts';
import type { TokenCounter } from '../tokens.ts';
import type { CompactOptions } from './options.ts';

type Sizes = Pick<CompactOptions, 'budget' | 'ledgerShare' | 'strategy'>;

/** Returns the most tokens of a ledger. It shares them with the text around it, but always has half of them. */
export function ledgerRoom({ budget, ledgerShare, strategy }: Sizes, count: TokenCounter): number {
  const tokens = ledgerTokens(budget, ledgerShare);
  const frame = summaryFrame(strategy.name, tokens * 4);
  return Math.max(Math.floor(tokens / 2), tokens - count(frame));
}

/** Returns the tokens of facts to keep, and the most that a tool should accept in this window. */
export function measureKeptFacts(
  facts: readonly string[],
  options: Sizes & Pick<CompactOptions, 'meter' | 'count'>,
): { tokens: number; maxTokens: number } {
  const count = (text: string) => Math.ceil(options.count(text) * options.meter.ratio);
  const all = { maxTokens: Number.POSITIVE_INFINITY, count };
  const tokens = keptSection({ facts, handle: '' }, all)?.tokens ?? 0;
  return { tokens, maxTokens: acceptedKeptTokens(ledgerRoom(options, count)) };
}
