import type { Message } from '@longhaul/protocol';
import { formatCost, formatTokens, plural } from './format.ts';

/** Adds up the tokens and the cost of the steps of a session. */
export class UsageTotal {
  #steps = 0;
  #input = 0;
  #cached = 0;
  #output = 0;
  #dollars = 0;

  add({ usage, cost }: Pick<Message, 'usage' | 'cost'>): void {
    if (usage === undefined) return;
    this.#steps += 1;
    this.#input += usage.inputTokens;
    this.#cached += usage.cacheReadTokens;
    this.#output += usage.outputTokens;
    this.#dollars += cost ?? 0;
  }

  text(): string {
    const price = this.#dollars === 0 ? 'cost unknown or zero' : formatCost(this.#dollars);
    const input = `${formatTokens(this.#input)} in (${formatTokens(this.#cached)} from cache)`;
    return `${plural(this.#steps, 'step')} · ${input}, ${formatTokens(this.#output)} out · ${price}\nSummaries of compactions are not in this sum.`;
  }
}
