import { countByClasses } from '@longhaul/context';
import type { StepEvent } from '../../ports/index.ts';

/** Share of the window at which an answer that goes on is stopped. */
const STOP_SHARE = 0.9;

/** Deltas are counted in pieces of this length: split into words, a text would seem to have more tokens. */
const PIECE_CHARS = 512;

/** How far a count may be over the real one. A server that obeys its limit is never stopped. */
const COUNT_ERROR = 1.5;

export interface StreamGuardOptions {
  /** Predicted tokens of the request. */
  inputTokens: number;
  /** What the server was told to write at the most. */
  maxOutputTokens: number;
  windowTokens: number;
  /** Real tokens for one counted token, as the session has taught it. */
  ratio: number;
  /** Ends the model's call. */
  stop: () => void;
}

/**
 * Stops an answer before it fills the window: not every server obeys the limit it was given, and some then drop the oldest messages without
 * a word. What was said so far stays and the answer counts as cut off by its length; a call that is not complete is not run.
 */
export async function* guardStream(
  stream: AsyncIterable<StepEvent>,
  { inputTokens, maxOutputTokens, windowTokens, ratio, stop }: StreamGuardOptions,
): AsyncGenerator<StepEvent> {
  const maxTokens = Math.max(windowTokens * STOP_SHARE - inputTokens, maxOutputTokens * COUNT_ERROR);
  let tokens = 0;
  let uncounted = '';
  for await (const event of stream) {
    uncounted += deltaOf(event);
    if (uncounted.length >= PIECE_CHARS) {
      tokens += countByClasses(uncounted) * ratio;
      uncounted = '';
    }
    if (tokens > maxTokens && event.type !== 'finish' && event.type !== 'error') {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') yield event;
      stop();
      yield { type: 'finish', finishReason: 'length' };
      return;
    }
    yield event;
  }
}

function deltaOf(event: StepEvent): string {
  const isDelta =
    event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta';
  return isDelta ? event.text : '';
}
