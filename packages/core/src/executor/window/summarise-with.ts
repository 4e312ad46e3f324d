import type { Summarise } from '@longhaul/context/engine';
import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver, ToolSchema } from '../../ports/index.ts';
import { oneAnswer } from '../model-call/one-answer.ts';
import { cancelledCompaction } from '../run-errors.ts';

export interface SummariseOptions {
  /**
   * System text and tools of the session. In the mode `prefix` they are sent unchanged, so that the provider's cache
   * applies.
   */
  system: string;
  tools: readonly ToolSchema[];
  cacheKey?: string | undefined;
  signal: AbortSignal;
  onUsage: (usage: TokenUsage) => void;
}

const SYSTEM = {
  transcript: 'You summarise coding sessions.',
  selection: 'You select what to keep of a coding session. Answer with one JSON object.',
} as const;

/**
 * Lets a model write narratives and select what to keep. Its tool calls are never run. A failure is returned as a
 * reply.
 *
 * @throws {LonghaulError} `cancelled`; `budget_exceeded`, because the session is better left as it is.
 */
export function summariseWith(driver: ModelDriver, options: SummariseOptions): Summarise {
  const { signal, onUsage } = options;
  return async ({ mode, messages, maxOutputTokens }) => {
    const answer = await oneAnswer(driver, {
      system: mode === 'prefix' ? options.system : SYSTEM[mode],
      messages,
      tools: mode === 'prefix' ? options.tools : [],
      maxOutputTokens,
      cacheKey: mode === 'prefix' ? options.cacheKey : undefined,
      signal,
    });
    if (answer.status === 'failed') {
      if (signal.aborted) throw cancelledCompaction();
      if (answer.error?.code === 'budget_exceeded') throw answer.error;
      return answer;
    }
    const { text, finishReason, usage } = answer;
    if (usage !== undefined) onUsage(usage);
    const finishedBy = finishReason === 'stop' || finishReason === 'length' ? finishReason : 'other';
    return { status: 'ok', text, finishedBy };
  };
}
