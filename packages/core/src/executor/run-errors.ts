import { LonghaulError } from '@longhaul/protocol';
import { plural } from '../tool-output/display.ts';
import type { WorkLeft } from './unfinished-work.ts';

/** The errors and notes with which a run ends or is interrupted. */

export function cancelledCompaction(): LonghaulError {
  return new LonghaulError('cancelled', 'Cancelled during a compaction. The session is unchanged.');
}

/** The server refuses the request because of its content, and leaving the content out did not help. */
export function contentRefused(
  error: LonghaulError,
  advice: { sessionId: string; revertTo: number; provider: string; model: string; isAboutMedia: boolean },
): LonghaulError {
  const { sessionId, revertTo, provider, model, isAboutMedia } = advice;
  const key = /^[\w.-]+$/.test(model) ? model : JSON.stringify(model);
  const setting = isAboutMedia
    ? ` If the model does not accept images, set providers.${provider}.models.${key}.accepts.images: false.`
    : '';
  const revert = ` To continue without m${revertTo} and later messages: longhaul revert ${sessionId} m${revertTo} --conversation`;
  const { code, message, data, cause } = error;
  return new LonghaulError(code, `${message}${setting}${revert}`, { data, cause });
}

/** @param limit The limit with its unit and its setting. */
export function limitReached(limit: string): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The run stopped at its limit of ${limit}. The work so far is kept.`,
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
    'The model returned an empty answer twice. Try again, or use another model.',
  );
}

export function callUnread(): LonghaulError {
  return new LonghaulError(
    'provider_bad_response',
    "The model wrote tool calls as text that cannot be read, twice in a row. Start the server with the model's tool call parser or chat template, or use another model.",
  );
}

/** How an answer ended, as the server sent it. */
export interface AnswerEnding {
  rawFinishReason?: string | undefined;
  explanation?: string | undefined;
}

export function unknownEnd({ rawFinishReason: raw, explanation }: AnswerEnding): LonghaulError {
  const said = explanation === undefined ? '' : ` ("${explanation}")`;
  const reason = raw === undefined ? 'without a finish reason' : `with the finish reason "${raw}"${said}`;
  return new LonghaulError(
    'provider_bad_response',
    `The model ended two answers in a row ${reason}, which Longhaul does not know. They may be incomplete. The work so far is kept: resume the session, or use another model.`,
    { data: raw === undefined ? {} : { finishReason: raw } },
  );
}

export function repeatedlyCutOff(times: number): LonghaulError {
  return new LonghaulError(
    'limit_reached',
    `The model was cut off ${times} times in a row without finishing its answer.`,
  );
}

/** @param calls As `name arguments`. */
export function doomLoop(calls: readonly string[]): LonghaulError {
  return new LonghaulError(
    'doom_loop',
    `The model is in a loop, even after a warning: ${shortened(calls)} returned the same result each time. The work so far is kept. Tell the model what to do instead, or use another model.`,
  );
}

/** The warning to a model in a loop. Each loop gets one. */
export function loopNote({ calls, times }: { calls: readonly string[]; times: number }): string {
  const what = calls.length === 1 ? 'this call' : 'these calls';
  return `You have made ${what} ${times} times in a row with the same result: ${shortened(calls)}\nDo something else; repeating it ends the run. If you cannot continue, say what is done and what is missing.`;
}

/** For people: the model is asked about what its answer leaves undone. */
export function stoppedEarly({ items, isAnnounced }: WorkLeft): string {
  const open = items.length === 0 ? '' : `with ${plural(items.length, 'open todo item')}`;
  const announced = isAnnounced ? 'after announcing a step' : '';
  const how = [open, announced].filter((text) => text !== '').join(', ');
  return `The model stopped ${how}. It was asked once to continue.`;
}

const SHOWN_CALL_CHARS = 200;
const SHOWN_CALLS = 6;

function shortened(calls: readonly string[]): string {
  const shown = calls
    .slice(0, SHOWN_CALLS)
    .map((call) => (call.length > SHOWN_CALL_CHARS ? `${call.slice(0, SHOWN_CALL_CHARS)}…` : call))
    .join('; ');
  return calls.length > SHOWN_CALLS ? `${shown}; and ${calls.length - SHOWN_CALLS} more` : shown;
}

export function answerWithheld({ rawFinishReason: raw, explanation }: AnswerEnding): LonghaulError {
  const isRefusal = raw === 'stop' || raw === 'refusal';
  const reason = raw === undefined ? 'content filter' : isRefusal ? 'refusal' : `finish reason "${raw}"`;
  const said = explanation === undefined ? '' : ` It said: "${explanation}"`;
  return new LonghaulError(
    'provider_content_filter',
    `The provider withheld the answer (${reason}).${said}`,
    {
      data: raw === undefined ? {} : { finishReason: raw },
    },
  );
}

/** The server read only the newest part of the request, and did not report an error. */
export function silentlyTruncated(sizes: {
  sentTokens: number;
  readTokens: number;
  windowTokens: number;
}): LonghaulError {
  const { sentTokens, readTokens, windowTokens } = sizes;
  return new LonghaulError(
    'context_overflow',
    `The server read ${readTokens} of about ${sentTokens} tokens: it silently dropped the oldest messages. Longhaul now assumes a window of ${windowTokens} tokens. For a longer one, load the model with more context (Ollama: OLLAMA_CONTEXT_LENGTH, or num_ctx in a Modelfile).`,
    { data: sizes },
  );
}

/** The result of calls that a model made without having read the whole conversation. */
export const CONVERSATION_TRUNCATED =
  'Not run: the server had dropped the start of the conversation when you made this call.';

export const USAGE_NOT_CREDIBLE =
  'The server reports far fewer input tokens than it was sent, even for requests that fit. Its token counts are ignored from now on.';

export const USAGE_EXCESSIVE =
  'The server reports more than three times the input tokens that Longhaul counts. Longhaul assumes three times its own count from now on, so it may compact early.';

/** A hook of `prompt.submit` has refused the user's message. People see it in the log, and no model gets it. */
export function refusedByHook(reason: string): LonghaulError {
  return new LonghaulError('forbidden', `A hook refused the message: ${reason}`);
}
