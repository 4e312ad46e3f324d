import type { Summarise } from '@longhaul/context';
import type { ModelDriver } from '@longhaul/core';

/** Asks a model for narratives, outside of any session. */
export function summariserOf(driver: ModelDriver, signal: AbortSignal): Summarise {
  return async ({ messages, maxOutputTokens }) => {
    const request = {
      system: 'You summarise coding sessions.',
      messages,
      tools: [],
      maxOutputTokens,
      signal,
    };
    let text = '';
    for await (const event of driver.step(request)) {
      if (event.type === 'text-delta') text += event.text;
      else if (event.type === 'error') return { status: 'failed', reason: event.error.message };
      else if (event.type === 'finish') {
        const { finishReason } = event;
        const isKnown = finishReason === 'stop' || finishReason === 'length';
        return { status: 'ok', text, finishedBy: isKnown ? finishReason : 'other' };
      }
    }
    return { status: 'failed', reason: 'the summariser stopped before its answer was complete' };
  };
}
