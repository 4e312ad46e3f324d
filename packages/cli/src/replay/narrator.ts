import {
  type Summarise,
  type SummaryReply,
  type SummaryRequest,
  viewMessageTokens,
} from '@longhaul/context/engine';
import type { ModelDriver } from '@longhaul/core';
import { costOf } from '@longhaul/models';
import type { TokenUsage } from '@longhaul/protocol';

/** What became of the requests for narratives. */
export interface NarrativeCount {
  written: number;
  failed: number;
  /** Why the first one failed. */
  failure?: string;
  /** Requests that were not sent, because they could exceed the cost limit. */
  refused: number;
  /** US dollars. Undefined if the price of the model is unknown. */
  costUsd: number | undefined;
}

export interface Narrator {
  summarise: Summarise;
  readonly count: Readonly<NarrativeCount>;
}

const SYSTEM = 'You summarise coding sessions.';
/** Estimates are low for some models, so the cost of a request is reserved with a surcharge. */
const RESERVED_SHARE = 1.3;

/**
 * Asks a model for narratives, outside of any session. A request is refused if it could exceed `maxCostUsd` together
 * with those that are running.
 */
export function narratorOf(
  driver: ModelDriver,
  { signal, maxCostUsd }: { signal: AbortSignal; maxCostUsd?: number | undefined },
): Narrator {
  const { price } = driver.info;
  const count: NarrativeCount = {
    written: 0,
    failed: 0,
    refused: 0,
    costUsd: price === undefined ? undefined : 0,
  };
  let reserved = 0;
  const summarise: Summarise = async (request) => {
    const most = price === undefined ? 0 : costOf(estimatedUsage(request), price) * RESERVED_SHARE;
    if (maxCostUsd !== undefined && (count.costUsd ?? 0) + reserved + most > maxCostUsd) {
      count.refused += 1;
      return { status: 'failed', reason: 'the cost limit is reached' };
    }
    reserved += most;
    const { reply, usage } = await ask(driver, request, signal);
    reserved -= most;
    if (reply.status === 'ok') count.written += 1;
    else {
      count.failed += 1;
      count.failure ??= reply.reason;
    }
    if (price !== undefined)
      count.costUsd = (count.costUsd ?? 0) + costOf(usage ?? estimatedUsage(request), price);
    return reply;
  };
  return { summarise, count };
}

async function ask(
  driver: ModelDriver,
  { messages, maxOutputTokens }: SummaryRequest,
  signal: AbortSignal,
): Promise<{ reply: SummaryReply; usage?: TokenUsage | undefined }> {
  const request = { system: SYSTEM, messages, tools: [], maxOutputTokens, signal };
  let text = '';
  for await (const event of driver.step(request)) {
    if (event.type === 'text-delta') text += event.text;
    else if (event.type === 'error') return { reply: { status: 'failed', reason: event.error.message } };
    else if (event.type === 'finish') {
      const { finishReason, usage } = event;
      const isKnown = finishReason === 'stop' || finishReason === 'length';
      return { reply: { status: 'ok', text, finishedBy: isKnown ? finishReason : 'other' }, usage };
    }
  }
  return { reply: { status: 'failed', reason: 'the model stopped before its answer was complete' } };
}

/** The most that a request can use, by characters. */
function estimatedUsage({ messages, maxOutputTokens }: SummaryRequest): TokenUsage {
  const count = (text: string) => Math.ceil(text.length / 4);
  const inputTokens = messages.reduce((sum, message) => sum + viewMessageTokens(message, count), 0);
  return {
    inputTokens,
    outputTokens: maxOutputTokens,
    reasoningTokens: 0,
    cacheReadTokens: 0,
    cacheWriteTokens: 0,
    totalTokens: inputTokens + maxOutputTokens,
  };
}
