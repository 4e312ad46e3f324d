import { isTextList, type ToolPart } from '@longhaul/protocol';
import type { TokenCounter } from '../tokens.ts';
import { KEPT_HEADING } from './ledger-sections.ts';

/** Facts that the model wants to see word for word after each compaction. */
export interface KeptFacts {
  facts: readonly string[];
  /** The call that set them. */
  handle: string;
}

/** The share of a ledger that kept facts may take. */
const KEPT_SHARE = 0.4;
/** Estimates of tokens change during a session, so a tool accepts fewer facts than a ledger shows. */
const ACCEPTED_SHARE = 0.3;

/** Returns the most tokens of kept facts in a ledger of `ledgerTokens`. */
export function keptTokens(ledgerTokens: number): number {
  return Math.floor(ledgerTokens * KEPT_SHARE);
}

/** Returns the most tokens of facts that a tool should accept, so that they fit a ledger of `ledgerTokens`. */
export function acceptedKeptTokens(ledgerTokens: number): number {
  return Math.floor(ledgerTokens * ACCEPTED_SHARE);
}

/** Returns the facts that a call has set. Undefined for a call that leaves them as they are. */
export function keptFactsOf({ name, state, metadata }: ToolPart): readonly string[] | undefined {
  const keep = name === 'todo' && state === 'completed' ? metadata?.['keep'] : undefined;
  return isTextList(keep) ? keep : undefined;
}

/** Returns the section as a ledger shows it. If not all facts fit, its last line says where the others are. */
export function keptSection(
  { facts, handle }: KeptFacts,
  { maxTokens, count }: { maxTokens: number; count: TokenCounter },
): { text: string; tokens: number; isWhole: boolean } | undefined {
  if (facts.length === 0) return undefined;
  const heading = `### ${KEPT_HEADING}`;
  const textOf = (shown: number) => {
    const lines = facts.slice(0, shown).map((fact) => `- ${fact}`);
    const missing = facts.length - shown;
    return [heading, ...lines, ...(missing === 0 ? [] : [missingLine(missing, handle)])].join('\n');
  };
  let shown = facts.length;
  while (shown > 0 && count(`${textOf(shown)}\n\n`) > maxTokens) shown -= 1;
  const text = textOf(shown);
  return { text, tokens: count(`${text}\n\n`), isWhole: shown === facts.length };
}

function missingLine(missing: number, handle: string): string {
  const facts = missing === 1 ? '1 fact' : `${missing} facts`;
  return `(${facts} that you keep cannot be shown in this window. Read them with \`recall\` ${handle}, and keep less with \`todo\`.)`;
}
