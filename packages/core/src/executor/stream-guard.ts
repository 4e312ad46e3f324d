import type { StepEvent } from '../ports/index.ts';

/** Share of the window at which an answer that goes on is stopped. */
const STOP_SHARE = 0.9;

/** A cautious guess: code has about so many characters in a token. */
const CHARS_PER_TOKEN = 3.6;

export interface StreamGuardOptions {
  /** Predicted tokens of the request. */
  inputTokens: number;
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
  { inputTokens, windowTokens, stop }: StreamGuardOptions,
): AsyncGenerator<StepEvent> {
  const maxChars = (windowTokens * STOP_SHARE - inputTokens) * CHARS_PER_TOKEN;
  let chars = 0;
  for await (const event of stream) {
    chars += charsOf(event);
    if (chars > maxChars && event.type !== 'finish' && event.type !== 'error') {
      if (event.type === 'text-delta' || event.type === 'reasoning-delta') yield event;
      stop();
      yield { type: 'finish', finishReason: 'length' };
      return;
    }
    yield event;
  }
}

function charsOf(event: StepEvent): number {
  const isDelta =
    event.type === 'text-delta' || event.type === 'reasoning-delta' || event.type === 'tool-input-delta';
  return isDelta ? event.text.length : 0;
}
