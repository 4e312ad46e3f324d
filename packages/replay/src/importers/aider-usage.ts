import type { TokenUsage } from '@longhaul/protocol';
import { chatUsage } from './usage.ts';

const TOKENS = /^Tokens: ([\d.,]+)(k?) sent,(?:.*?([\d.,]+)(k?) cache hit,)?.*?([\d.,]+)(k?) received/;

/** Returns the usage in Aider's line `Tokens: 5,244 sent, 604 received. …`, which rounds large counts to thousands. */
export function countedUsage(note: string): TokenUsage | undefined {
  const [, sent, sentUnit, hit, hitUnit, received, receivedUnit] = TOKENS.exec(note) ?? [];
  if (sent === undefined || received === undefined) return undefined;
  return chatUsage({
    prompt_tokens: count(sent, sentUnit),
    completion_tokens: count(received, receivedUnit),
    prompt_tokens_details: { cached_tokens: count(hit ?? '0', hitUnit) },
  });
}

function count(digits: string, unit = ''): number {
  return Math.round(Number(digits.replaceAll(',', '')) * (unit === 'k' ? 1_000 : 1)) || 0;
}
