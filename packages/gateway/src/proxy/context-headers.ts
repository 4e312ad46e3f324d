import type { Prepared } from '../compaction/types.ts';

/** Returns the headers that describe the compaction of a request: its round, and the tokens before and after. */
export function contextHeaders(prepared: Prepared | undefined): string[] {
  const facts = prepared?.compacted;
  if (facts === undefined) return [];
  return [
    ...['X-Longhaul-Compacted', String(facts.round)],
    ...['X-Longhaul-Tokens-Before', String(facts.before)],
    ...['X-Longhaul-Tokens-After', String(facts.after)],
  ];
}
