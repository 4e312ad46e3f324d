import type { Summarise } from '@longhaul/context';
import type { TokenUsage } from '@longhaul/protocol';
import type { ModelDriver, StepRequest, ToolSchema } from '../../ports/index.ts';
import { guardStream } from '../model-call/stream-guard.ts';
import { cancelledCompaction } from '../run-errors.ts';

export interface SummariseOptions {
  /** System text and tools of the session: they stay in front of its prefix, so that the provider's cache holds. */
  system: string;
  tools: readonly ToolSchema[];
  signal: AbortSignal;
  onUsage: (usage: TokenUsage) => void;
}

const SYSTEM = {
  transcript: 'You summarise coding sessions.',
  selection: 'You choose what stays of a coding session, and answer with one JSON object.',
} as const;

/** Writes narratives, and selects what stays, with a model. What it calls is never run; what goes wrong is a reply, but a cancel is thrown. */
export function summariseWith(driver: ModelDriver, options: SummariseOptions): Summarise {
  const { signal, onUsage } = options;
  return async (request) => {
    const { mode, maxOutputTokens } = request;
    const stopped = new AbortController();
    const step: StepRequest = {
      system: mode === 'prefix' ? options.system : SYSTEM[mode],
      messages: request.messages,
      tools: mode === 'prefix' ? options.tools : [],
      maxOutputTokens,
      signal: AbortSignal.any([signal, stopped.signal]),
    };
    // What it was told to write is all that is needed of it: a server that goes on is stopped there.
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
    return { status: 'failed', reason: 'the summariser stopped before its answer was complete' };
  };
}
