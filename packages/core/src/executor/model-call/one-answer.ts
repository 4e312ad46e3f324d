import type { FinishReason, LonghaulError, TokenUsage } from '@longhaul/protocol';
import type { ModelDriver, StepRequest } from '../../ports/index.ts';
import { guardStream } from './stream-guard.ts';

export interface OneAnswerRequest extends StepRequest {
  /** Tokens of the text. Reasoning comes on top of them. */
  maxOutputTokens: number;
}

export type OneAnswer =
  | { status: 'ok'; text: string; finishReason: FinishReason; usage?: TokenUsage | undefined }
  | { status: 'failed'; reason: string; error?: LonghaulError };

/** Calls a model once for a text. Its tool calls are ignored. A failure is a result, also an abort. */
export async function oneAnswer(driver: ModelDriver, request: OneAnswerRequest): Promise<OneAnswer> {
  const maxOutputTokens = withReasoning(request.maxOutputTokens, driver);
  const stopped = new AbortController();
  const signal = AbortSignal.any([request.signal, stopped.signal]);
  // Stop a server that does not obey maxOutputTokens.
  const stream = guardStream(driver.step({ ...request, maxOutputTokens, signal }), {
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
    else if (event.type === 'error') return failed(event.error);
    else if (event.type === 'finish')
      return { status: 'ok', text, finishReason: event.finishReason, usage: event.usage };
  }
  return { status: 'failed', reason: 'the stream ended before the answer was complete' };
}

/**
 * Reasoning counts in the length of the answer. It stays as in other requests, so that the provider's cache applies.
 */
function withReasoning(textTokens: number, { info }: ModelDriver): number {
  return Math.min(textTokens + (info.reasoningTokens ?? 0), Math.max(textTokens, info.maxOutputTokens));
}

function failed(error: LonghaulError): OneAnswer {
  return { status: 'failed', reason: error.message, error };
}
