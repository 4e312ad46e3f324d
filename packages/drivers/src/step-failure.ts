import { excerptOf, mapProviderError } from '@longhaul/models';
import { LonghaulError, shownModel, type TokenUsage } from '@longhaul/protocol';
import type { AnswerEnd } from './answer/finish-reasons.ts';
import { EMPTY_STALLS, type EndedBy } from './request-guard.ts';

/** The model that was called, as named in errors. */
export interface CallTarget {
  provider: string;
  model: string;
  /** Texts that no message may contain. */
  secrets: readonly string[];
}

/**
 * Converts what the SDK threw or sent as an `error` part into an error with a code.
 *
 * The SDK's error classes are recognised by their names and fields, never by their message, and without importing them:
 * an import would load the SDK. Only `mapProviderError` reads message text.
 */
export function toStepError(thrown: unknown, target: CallTarget, phase: 'request' | 'stream'): LonghaulError {
  if (thrown instanceof LonghaulError) return thrown;
  // The SDK wraps an error of the body that it reads.
  if (thrown instanceof Error && thrown.cause instanceof LonghaulError) return thrown.cause;
  const error = fieldsOf(thrown);
  switch (error['name']) {
    case 'AI_JSONParseError':
      return badChunk(error['text'], target, thrown);
    case 'AI_TypeValidationError':
      if (fieldsOf(error['value'])['error'] === undefined) return badChunk(error['value'], target, thrown);
      return mapPayload(fieldsOf(error['value'])['error'], target, thrown);
    case 'AI_InvalidResponseDataError':
      // The SDK throws this error without data if a stream ended without a finish reason.
      return error['data'] === undefined
        ? noFinishReason(target, thrown)
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
    // A cut socket can surface as any error of the network layer.
    if (phase === 'stream') return streamCut(target, thrown);
    return mapProviderError({ message: thrown.message, cause: thrown, ...target });
  }
  return mapPayload(thrown, target, thrown);
}

/** Returns the error of a step that its guard ended. */
export function endedError(endedBy: EndedBy, target: CallTarget, stallMs: number): LonghaulError {
  if (endedBy === 'cancelled') return new LonghaulError('cancelled', 'The model call was cancelled.');
  const what =
    endedBy === 'stalled'
      ? `nothing for ${stallMs} ms`
      : `bytes but no content for ${stallMs * EMPTY_STALLS} ms`;
  return new LonghaulError(
    'provider_timeout',
    `${shownTarget(target)} sent ${what}, so the request was ended. If it needs longer to start, raise retry.stallMs.`,
    { data: { ...factsOf(target), stallMs } },
  );
}

/** Returns the error for an answer that the server ended without completing it, or undefined if it completed it. */
export function brokenEnd(
  end: AnswerEnd,
  { raw, explanation }: { raw: string | undefined; explanation?: string | undefined },
  target: CallTarget,
): LonghaulError | undefined {
  const said = explanation === undefined ? '' : `: "${explanation}"`;
  const reason = raw === undefined ? '' : ` (finish reason "${raw}"${said})`;
  if (end === 'interrupted' && raw === undefined) return noFinishReason(target);
  if (end === 'interrupted') {
    const message = `The answer of ${shownTarget(target)} is incomplete: the server stopped it${reason}.`;
    return new LonghaulError('provider_stream_cut', message, { data: factsOf(target) });
  }
  if (end === 'overloaded') {
    const message = `${shownTarget(target)} had no resources to complete its answer${reason}.`;
    return new LonghaulError('provider_overloaded', message, { data: factsOf(target) });
  }
  if (end === 'malformed') return badResponse(`the server discarded the answer${reason}.`, target);
  if (end !== 'error') return undefined;
  return badResponse(`the answer ended with an error that the server did not describe${reason}.`, target);
}

function streamCut(target: CallTarget, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'provider_stream_cut',
    `The answer of ${shownTarget(target)} is incomplete: the connection was closed before its end.`,
    { cause, data: factsOf(target) },
  );
}

/** Returns the error for an answer whose stream ended in order, but without a finish reason. */
export function noFinishReason(target: CallTarget, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'provider_stream_cut',
    `The answer of ${shownTarget(target)} may be incomplete: its stream ended without a finish reason.`,
    { cause, data: factsOf(target) },
  );
}

/** Returns the error for a server that accepted the prompt but had no room for an answer. */
export function promptFillsWindow(target: CallTarget, usage: TokenUsage | undefined): LonghaulError {
  return new LonghaulError(
    'context_overflow',
    `The prompt fills the window of ${shownTarget(target)}: no room is left for an answer.`,
    {
      data: usage === undefined ? factsOf(target) : { ...factsOf(target), requestTokens: usage.inputTokens },
    },
  );
}

function badResponse(message: string, target: CallTarget): LonghaulError {
  return new LonghaulError('provider_bad_response', `${shownTarget(target)}: ${message}`, {
    data: factsOf(target),
  });
}

function factsOf({ provider, model }: CallTarget): { provider: string; model: string } {
  return { provider, model };
}

export function badChunk(content: unknown, target: CallTarget, cause: unknown): LonghaulError {
  const text = typeof content === 'string' ? content : (JSON.stringify(content) ?? '');
  return new LonghaulError(
    'provider_bad_response',
    `${shownTarget(target)} sent a chunk in an unexpected form: ${JSON.stringify(text.slice(0, 200))}.`,
    { cause, data: factsOf(target) },
  );
}

/** Returns the error for a stream that has no event of the expected format. */
export function onlyForeign(first: unknown, target: CallTarget): LonghaulError {
  const text = typeof first === 'string' ? first : (JSON.stringify(first) ?? '');
  const quoted = JSON.stringify(excerptOf(text, target.secrets));
  const message = `the stream has no event of the expected format. It began with ${quoted}. Check the kind and the baseUrl of the provider.`;
  return badResponse(message, target);
}

function mapCallError(error: Record<string, unknown>, target: CallTarget, thrown: unknown): LonghaulError {
  const status = numberOf(error['statusCode']);
  // The server accepted the request; reading its answer failed.
  if (status !== undefined && status < 400) {
    return hasEmptyBody(error['cause'])
      ? badResponse('the answer was empty.', target)
      : streamCut(target, thrown);
  }
  return mapProviderError({
    status,
    body: typeof error['responseBody'] === 'string' ? error['responseBody'] : undefined,
    headers: headersOf(error['responseHeaders']),
    message: messageOf(thrown),
    url: typeof error['url'] === 'string' ? error['url'] : undefined,
    cause: error['cause'] ?? thrown,
    ...target,
  });
}

/** Maps an error from a stream: the provider's object, a wrapped one, or a string. */
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

/** Returns the HTTP status that a server sends as the code of an error, as a number or a text. */
export function statusIn(code: unknown): number | undefined {
  const status = typeof code === 'string' && /^\d{3}$/.test(code) ? Number(code) : code;
  return typeof status === 'number' && status >= 400 && status < 600 ? status : undefined;
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

/** An error's `name` and `message` are on its prototype or not enumerable. */
function nameOf(value: object): unknown {
  return 'name' in value ? value.name : undefined;
}

function ownFields(value: object): Record<string, unknown> {
  return Object.fromEntries(Object.getOwnPropertyNames(value).map((key) => [key, Reflect.get(value, key)]));
}

function shownTarget({ provider, model }: CallTarget): string {
  return shownModel(`${provider}/${model}`);
}
