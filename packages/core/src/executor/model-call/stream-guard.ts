import { countByClasses } from '@longhaul/context/engine';
import type { StepEvent } from '../../ports/index.ts';

/** An answer is stopped when request and answer fill this share of the window. */
const STOP_SHARE = 0.9;

/**
 * Deltas are joined to pieces of this length before they are counted: counted word by word, a text would seem to have
 * more tokens.
 */
const PIECE_CHARS = 512;

/** How far a count may exceed the real one. With it, a server that obeys `maxOutputTokens` is not stopped. */
const COUNT_ERROR = 1.5;

export interface StreamGuardOptions {
  /** Predicted tokens of the request. */
  inputTokens: number;
  /** The maximum that the server was asked to obey. */
  maxOutputTokens: number;
  windowTokens: number;
  /** Real tokens per counted token, as measured in the session. */
  ratio: number;
  /** Called to abort the model call. */
  stop: () => void;
}

/**
 * Stops an answer before it fills the window. Not every server obeys `maxOutputTokens`, and some then silently drop the
 * oldest messages. The answer so far is kept, and its finish reason is `length`. An incomplete tool call is not run.
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
