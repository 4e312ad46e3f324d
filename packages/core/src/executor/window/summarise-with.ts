import type { Summarise } from '@longhaul/context';
import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver, StepRequest, ToolSchema } from '../../ports/index.ts';
import { guardStream } from '../model-call/stream-guard.ts';
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
 * @throws {LonghaulError} `cancelled`.
 */
export function summariseWith(driver: ModelDriver, options: SummariseOptions): Summarise {
  const { signal, onUsage } = options;
  return async (request) => {
    const { mode } = request;
    const { info } = driver;
    // Reasoning counts in the length of the answer. It stays as in other requests, so that the provider's cache
    // applies.
    const maxOutputTokens = Math.min(
      request.maxOutputTokens + (info.reasoningTokens ?? 0),
      Math.max(request.maxOutputTokens, info.maxOutputTokens),
    );
    const stopped = new AbortController();
    const step: StepRequest = {
      system: mode === 'prefix' ? options.system : SYSTEM[mode],
      messages: request.messages,
      tools: mode === 'prefix' ? options.tools : [],
      maxOutputTokens,
      cacheKey: mode === 'prefix' ? options.cacheKey : undefined,
      signal: AbortSignal.any([signal, stopped.signal]),
    };
    // Stop a server that does not obey maxOutputTokens.
    const stream = guardStream(driver.step(step), {
      inputTokens: 0,
      windowTokens: 0,
      maxOutputTokens,
      ratio: 1,
      stop: () => stopped.abort(),
    });
    let text = '';
    for await (const event of stream) {
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'text-is-reasoning') text = '';
      else if (event.type === 'error') {
        if (signal.aborted) throw cancelledCompaction();
        return { status: 'failed', reason: event.error.message };
      } else if (event.type === 'finish') {
        if (event.usage !== undefined) onUsage(event.usage);
        const { finishReason } = event;
        const finishedBy = finishReason === 'stop' || finishReason === 'length' ? finishReason : 'other';
        return { status: 'ok', text, finishedBy };
      }
    }
    return { status: 'failed', reason: 'the stream of the summariser ended before its answer was complete' };
  };
}
