import { countByClasses, estimateTokens, type ViewMessage } from '@longhaul/context/engine';
import { type TokenUsage, ZERO_USAGE } from '@longhaul/protocol';
import type { StepEvent, StepRequest } from '../../ports/index.ts';
import { countedUsage } from '../limits/counted-usage.ts';

/** What a call sends, and what it has received so far, as texts. Images and files are not estimated. */
export class CallTexts {
  readonly #sent: string[];
  readonly #received: string[] = [];

  constructor({ system, messages, tools }: Pick<StepRequest, 'system' | 'messages' | 'tools'>) {
    this.#sent = [system, ...tools.map((tool) => JSON.stringify(tool)), ...messages.flatMap(textsOf)];
  }

  /** Whether the server has begun to answer, so that the call costs something. */
  get isAnswered(): boolean {
    return this.#received.length > 0;
  }

  add(event: StepEvent): void {
    if (event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta')
      this.#received.push(event.text);
    if (event.type === 'tool-call') this.#received.push(event.name);
  }

  /** A cheap estimate, for a call that has not been answered. */
  get sent(): TokenUsage {
    return asUsage(sum(this.#sent, estimateTokens), 0);
  }

  /**
   * Returns what counts for budgets: as reported, or as estimated if the server reported nothing, or less than can be
   * true. The exact count of a long text takes a while, so it is made only if the cheap estimate doubts the report.
   */
  counted(reported: TokenUsage | undefined): TokenUsage {
    if (reported !== undefined) {
      const cheap = {
        inputTokens: sum(this.#sent, estimateTokens),
        outputTokens: sum(this.#received, estimateTokens),
      };
      const counted = countedUsage(reported, cheap);
      if (counted.inputTokens === reported.inputTokens && counted.outputTokens === reported.outputTokens)
        return sane(reported);
    }
    const inputTokens = sum(this.#sent, countByClasses);
    const outputTokens = countByClasses(this.#received.join(''));
    return sane(countedUsage(reported, { inputTokens, outputTokens }));
  }
}

/** More than any call can have. A server may report any number. */
const MAX_TOKENS = 1_000_000_000;

function sane(usage: TokenUsage): TokenUsage {
  const clean = (tokens: number) =>
    Number.isFinite(tokens) ? Math.min(MAX_TOKENS, Math.max(0, Math.round(tokens))) : 0;
  const [inputTokens, outputTokens] = [clean(usage.inputTokens), clean(usage.outputTokens)];
  return {
    inputTokens,
    outputTokens,
    reasoningTokens: clean(usage.reasoningTokens),
    cacheReadTokens: clean(usage.cacheReadTokens),
    cacheWriteTokens: clean(usage.cacheWriteTokens),
    totalTokens: inputTokens + outputTokens,
  };
}

function asUsage(inputTokens: number, outputTokens: number): TokenUsage {
  return { ...ZERO_USAGE, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

function sum(texts: readonly string[], count: (text: string) => number): number {
  return texts.reduce((total, text) => total + count(text), 0);
}

function textsOf({ content }: ViewMessage): string[] {
  return content.flatMap((part) => {
    if (part.type === 'text' || part.type === 'reasoning') return [part.text];
    if (part.type !== 'tool') return [];
    const outputs = part.output.flatMap((output) => (output.type === 'text' ? [output.text] : []));
    return [part.name, JSON.stringify(part.input), ...outputs];
  });
}
