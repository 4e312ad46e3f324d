import { mapProviderError } from '@longhaul/models';
import { LonghaulError, type TokenUsage } from '@longhaul/protocol';
import { EMPTY_STALLS, type EndedBy } from './request-guard.ts';

/** Who was called: named in errors. */
export interface CallTarget {
  provider: string;
  model: string;
  /** Must not stand in any message. */
  secrets: readonly string[];
}

/**
 * What the SDK threw or put into an `error` part, as one error with a code.
 *
 * The SDK's error classes are told apart by their names and fields, never by their message, and without importing them: that would make
 * this file load the SDK. Message text is read in `mapProviderError` only.
 */
export function toStepError(thrown: unknown, target: CallTarget, phase: 'request' | 'stream'): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  const error = fieldsOf(thrown);
  switch (error['name']) {
    case 'AI_JSONParseError':
      return badChunk(error['text'], target, thrown);
    case 'AI_TypeValidationError':
      if (fieldsOf(error['value'])['error'] === undefined) return badChunk(error['value'], target, thrown);
      return mapPayload(fieldsOf(error['value'])['error'], target, thrown);
    case 'AI_InvalidResponseDataError':
      // The SDK's sign for a stream that ended without a finish reason is this error without data.
      return error['data'] === undefined
        ? streamCut(target, thrown)
        : badChunk(error['data'], target, thrown);
    case 'AI_LoadAPIKeyError':
      return new LonghaulError('provider_auth', messageOf(thrown), { cause: thrown, data: factsOf(target) });
    case 'AI_UnsupportedFunctionalityError':
      return new LonghaulError('input_unsupported', messageOf(thrown), {
        cause: thrown,
        data: factsOf(target),
      });
    case 'AI_APICallError':
      return mapCallError(error, target, thrown);
  }
  if (thrown instanceof Error) {
    // A socket that was cut surfaces as whatever the network layer threw.
    if (phase === 'stream') return streamCut(target, thrown);
    return mapProviderError({ message: thrown.message, cause: thrown, ...target });
  }
  return mapPayload(thrown, target, thrown);
}

/** The error of a step that we ended ourselves. */
export function endedError(endedBy: EndedBy, target: CallTarget, stallMs: number): LonghaulError {
  if (endedBy === 'cancelled') return new LonghaulError('cancelled', 'The model call was cancelled.');
  const what =
    endedBy === 'stalled'
      ? `nothing for ${stallMs} ms`
      : `signs of life without a word of an answer for ${stallMs * EMPTY_STALLS} ms`;
  return new LonghaulError(
    'provider_timeout',
    `${target.provider}/${target.model} sent ${what}, so the request was ended. If it needs longer to begin, raise retry.stallMs.`,
    { data: { ...factsOf(target), stallMs } },
  );
}

export function streamCut(target: CallTarget, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'provider_stream_cut',
    `The answer of ${target.provider}/${target.model} ended before it was finished: the connection was closed in the middle.`,
    { cause, data: factsOf(target) },
  );
}

/** The server accepted the prompt, and then had no room for an answer. */
export function promptFillsWindow(target: CallTarget, usage: TokenUsage | undefined): LonghaulError {
  return new LonghaulError(
    'context_overflow',
    `The prompt fills the window of ${target.provider}/${target.model}: nothing is left for an answer.`,
    {
      data: usage === undefined ? factsOf(target) : { ...factsOf(target), requestTokens: usage.inputTokens },
    },
  );
}

export function badResponse(message: string, target: CallTarget): LonghaulError {
  return new LonghaulError('provider_bad_response', `${target.provider}/${target.model}: ${message}`, {
    data: factsOf(target),
  });
}

function factsOf({ provider, model }: CallTarget): { provider: string; model: string } {
  return { provider, model };
}

function badChunk(content: unknown, target: CallTarget, cause: unknown): LonghaulError {
  const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
  return new LonghaulError(
    'provider_bad_response',
    `${target.provider}/${target.model} sent a chunk that is not of the expected form: ${JSON.stringify(text.slice(0, 200))}.`,
    { cause, data: factsOf(target) },
  );
}

function mapCallError(error: Record<string, unknown>, target: CallTarget, thrown: unknown): LonghaulError {
  const status = numberOf(error['statusCode']);
  // The server had accepted the request: what failed is the reading of its answer.
  if (status !== undefined && status < 400) {
    return hasEmptyBody(error['cause'])
      ? badResponse('the answer was empty.', target)
      : streamCut(target, thrown);
  }
  return mapProviderError({
    status,
    ...(typeof error['responseBody'] === 'string' ? { body: error['responseBody'] } : {}),
    headers: headersOf(error['responseHeaders']),
    message: messageOf(thrown),
    ...(typeof error['url'] === 'string' ? { url: error['url'] } : {}),
    cause: error['cause'] ?? thrown,
    ...target,
  });
}

/** An error the server put into its stream: the provider's own object, a wrapped one, or a bare string. */
function mapPayload(payload: unknown, target: CallTarget, cause: unknown): LonghaulError {
  const fields = fieldsOf(payload);
  const status = numberOf(fields['statusCode']) ?? statusIn(fields['code']);
  const data = fields['data'] ?? payload;
  const body = JSON.stringify(fieldsOf(data)['error'] === undefined ? { error: data } : data);
  return mapProviderError({
    status,
    body,
    message: typeof fields['message'] === 'string' ? fields['message'] : messageOf(payload),
    cause,
    ...target,
  });
}

function hasEmptyBody(cause: unknown): boolean {
  return fieldsOf(cause)['name'] === 'AI_EmptyResponseBodyError';
}

function statusIn(code: unknown): number | undefined {
  return typeof code === 'number' && code >= 400 && code < 600 ? code : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

function headersOf(value: unknown): Record<string, string> {
  const entries = Object.entries(fieldsOf(value));
  return Object.fromEntries(
    entries.flatMap(([key, text]) => (typeof text === 'string' ? [[key.toLowerCase(), text]] : [])),
  );
}

function messageOf(value: unknown): string {
  if (value instanceof Error) return value.message;
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? 'no message');
}

function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { name: nameOf(value), ...ownFields(value) } : {};
}

/** `name` and `message` of an error stand on its prototype or are not enumerable. */
function nameOf(value: object): unknown {
  return 'name' in value ? value.name : undefined;
}

function ownFields(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.getOwnPropertyNames(value).map((key) => [key, Reflect.get(value, key)]));
}
