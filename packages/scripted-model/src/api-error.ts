import type { ChatErrorBody } from '@longhaul/protocol';
import type { StatusFault } from './fault.ts';

export interface ApiErrorDetails {
  type: string;
  param?: string | null;
  code?: string | null;
  headers?: Record<string, string>;
}

/** An error response with OpenAI's wording and shape. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: ChatErrorBody;

  constructor(status: number, message: string, details: ApiErrorDetails) {
    super(message);
    this.status = status;
    this.headers = details.headers ?? {};
    this.body = {
      error: { message, type: details.type, param: details.param ?? null, code: details.code ?? null },
    };
  }
}

export function invalidRequest(message: string, param: string | null, code: string | null = null): ApiError {
  return new ApiError(400, message, { type: 'invalid_request_error', param, code });
}

export function wrongKey(): ApiError {
  return new ApiError(
    401,
    'Incorrect API key provided. Use the `apiKey` with which the scripted model server was started.',
    { type: 'invalid_request_error', code: 'invalid_api_key' },
  );
}

export function unknownUrl(method: string, path: string): ApiError {
  return new ApiError(404, `Invalid URL (${method} ${path})`, {
    type: 'invalid_request_error',
    code: 'unknown_url',
  });
}

export function unknownModel(model: string): ApiError {
  return new ApiError(404, `The model \`${model}\` does not exist or you do not have access to it.`, {
    type: 'invalid_request_error',
    code: 'model_not_found',
  });
}

export function scriptFailed(thrown: unknown): ApiError {
  const text = thrown instanceof Error ? thrown.message : String(thrown);
  return invalidRequest(`The script failed: ${text}`, null, 'script_failed');
}

export function faultError(fault: StatusFault): ApiError {
  const preset = PRESETS[fault.status] ?? { message: `Failure ${fault.status}`, type: 'server_error' };
  return new ApiError(fault.status, fault.message ?? preset.message, {
    type: preset.type,
    code: fault.code ?? preset.code ?? null,
    headers: retryHeaders(fault.retryAfterMs),
  });
}

const PRESETS: Record<number, { message: string; type: string; code?: string }> = {
  429: {
    message: 'Rate limit reached for requests. Please try again later.',
    type: 'requests',
    code: 'rate_limit_exceeded',
  },
  500: {
    message: 'The server had an error while processing your request. Sorry about that!',
    type: 'server_error',
  },
  503: { message: 'The engine is currently overloaded, please try again later', type: 'server_error' },
  529: { message: 'Overloaded', type: 'overloaded_error' },
};

function retryHeaders(retryAfterMs: number | undefined): Record<string, string> {
  if (retryAfterMs === undefined) return {};
  return { 'retry-after': String(Math.ceil(retryAfterMs / 1000)), 'retry-after-ms': String(retryAfterMs) };
}
