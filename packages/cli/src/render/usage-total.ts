import type { TokenUsage } from '@longhaul/protocol';
import type { ListedMessage } from '@longhaul/protocol/api';
import { formatCost, formatTokens, plural } from './format.ts';

/** Adds up the tokens and the cost of the steps of a session. Those of reverted messages were paid too. */
export class UsageTotal {
  #steps = 0;
  #input = 0;
  #cached = 0;
  #output = 0;
  #dollars = 0;
  #revertedSteps = 0;
  #revertedDollars = 0;

  add({ usage, cost = 0, visibility }: Pick<ListedMessage, 'usage' | 'cost' | 'visibility'>): void {
    if (usage === undefined) return;
    this.#steps += 1;
    this.#input += usage.inputTokens;
    this.#cached += usage.cacheReadTokens;
    this.#output += usage.outputTokens;
    this.#dollars += cost;
    if (!visibility.isReverted) return;
    this.#revertedSteps += 1;
    this.#revertedDollars += cost;
  }

  /** @param children What child sessions have used, which is not in the sum. */
  text(children?: SpentOfChildren): string {
    const input = `${formatTokens(this.#input)} in (${formatTokens(this.#cached)} from cache)`;
    const sum = `${plural(this.#steps, 'step')} · ${input}, ${formatTokens(this.#output)} out · ${priceOf(this.#dollars)}`;
    const reverted =
      this.#revertedSteps === 0
        ? []
        : [
            `Of these, in reverted messages: ${plural(this.#revertedSteps, 'step')} · ${priceOf(this.#revertedDollars)}`,
          ];
    return [sum, ...reverted, ...childLines(children), 'Summaries of compactions are not in this sum.'].join(
      '\n',
    );
  }
}

interface SpentOfChildren {
  sessions: number;
  steps: number;
  usage: TokenUsage;
  cost?: number | undefined;
}

function childLines(children: SpentOfChildren | undefined): string[] {
  if (children === undefined) return [];
  const { sessions, steps, usage, cost = 0 } = children;
  const tokens = `${formatTokens(usage.inputTokens)} in, ${formatTokens(usage.outputTokens)} out`;
  const who = plural(sessions, 'child session');
  return [`In addition, by ${who}: ${plural(steps, 'step')} · ${tokens} · ${priceOf(cost)}`];
}

function priceOf(dollars: number): string {
  return dollars === 0 ? 'cost unknown or zero' : formatCost(dollars);
}
