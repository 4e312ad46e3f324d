import { LonghaulError } from '@longhaul/protocol';

/** How a run can end other than with an answer, in words. */

export function cancelledCompaction(): LonghaulError {
  return new LonghaulError('cancelled', 'Cancelled during a compaction; the session is as it was.');
}

export function limitReached(limit: string): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The run stopped at its limit of ${limit}. What was done so far is kept.`,
  );
}

export function noProgress(compactions: number): LonghaulError {
  return new LonghaulError(
    'context_exhausted',
    `${compactions} compactions in a row without a finished step. The window is too small for this work: use a larger one.`,
  );
}

export function emptyAnswer(): LonghaulError {
  return new LonghaulError(
    'empty_answer',
    'The model answered with nothing, twice. Try again, or another model.',
  );
}

export function neverDone(times: number): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The model was cut off ${times} times in a row without finishing its answer.`,
  );
}

/** @param calls As `name arguments`. */
export function doomLoop(calls: readonly string[]): LonghaulError {
  return new LonghaulError(
    'doom_loop',
    `The model goes round in a circle, also after it was told: ${shown(calls)} brought the same result again and again. What was done so far is kept. Say what it should do instead, or use another model.`,
  );
}

/** What a model in a circle is told, once for each. */
export function loopNote({ calls, times }: { calls: readonly string[]; times: number }): string {
  const what = calls.length === 1 ? 'this call' : 'these calls';
  return `You have made ${what} ${times} times in a row with the same result: ${shown(calls)}\nOnce more will bring nothing new, and ends the run. Do something else; or, if you cannot go on, say what is done and what is missing.`;
}

const SHOWN_CALL_CHARS = 200;

function shown(calls: readonly string[]): string {
  return calls
    .map((call) => (call.length > SHOWN_CALL_CHARS ? `${call.slice(0, SHOWN_CALL_CHARS)}…` : call))
    .join('; ');
}

export function answerWithheld(): LonghaulError {
  return new LonghaulError('provider_content_filter', 'The provider withheld the answer (content filter).');
}

export function truncatedInSilence(sizes: {
  sentTokens: number;
  readTokens: number;
  windowTokens: number;
}): LonghaulError {
  const { sentTokens, readTokens, windowTokens } = sizes;
  return new LonghaulError(
    'context_overflow',
    `The server read ${readTokens} of about ${sentTokens} tokens: it dropped the oldest messages without a word. Its window is taken to be ${windowTokens} tokens from now on. For a longer one, load the model with more context (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile).`,
    { data: sizes },
  );
}

/** Why calls are not run that a model made without having seen the whole conversation. */
export const NOT_SEEN_WHOLE =
  'Not run: the server had dropped the beginning of the conversation when this was asked for.';

export const NONSENSE_USAGE =
  'The server says that it reads far less than is sent, also of requests that fit: its token counts are not used any more.';
