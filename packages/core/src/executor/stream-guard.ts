import { countByClasses } from '@longhaul/context';
import type { StepEvent } from '../ports/index.ts';

/** Share of the window at which an answer that goes on is stopped. */
const STOP_SHARE = 0.9;

/** How far a count of streamed pieces may be over the real one. A server that obeys its limit is never stopped. */
const COUNT_ERROR = 1.3;

export interface StreamGuardOptions {
  /** Predicted tokens of the request. */
  inputTokens: number;
  /** What the server was told to write at the most. */
  maxOutputTokens: number;
  windowTokens: number;
  /** Ends the model's call. */
  stop: () => void;
}

/**
 * Stops an answer before it fills the window: not every server obeys the limit it was given, and some then drop the oldest messages without
 * a word. What was said so far stays and the answer counts as cut off by its length; a call that is not complete is not run.
 */
export async function* guardStream(
  stream: AsyncIterable<StepEvent>,
  { inputTokens, maxOutputTokens, windowTokens, stop }: StreamGuardOptions,
): AsyncGenerator<StepEvent> {
  const maxTokens = Math.max(windowTokens * STOP_SHARE - inputTokens, maxOutputTokens * COUNT_ERROR);
  let tokens = 0;
  for await (const event of stream) {
    tokens += tokensOf(event);
    if (tokens > maxTokens && event.type !== 'finish' && event.type !== 'error') {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') yield event;
      stop();
      yield { type: 'finish', finishReason: 'length' };
      return;
    }
    yield event;
  }
}

function tokensOf(event: StepEvent): number {
  const isDelta =
    event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta';
  return isDelta ? countByClasses(event.text) : 0;
}
