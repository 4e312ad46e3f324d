import { type JsonObject, LonghaulError } from '@longhaul/protocol';
import { errorBodySchema } from '@longhaul/protocol/api';

/** What a refused request says. */
export async function responseError(response: Response): Promise<LonghaulError> {
  const text = await response.text().catch(() => '');
  const { error } = readBody(text) ?? {};
  const retryAfterMs = Number(response.headers.get('retry-after')) * 1_000;
  const data: JsonObject = retryAfterMs > 0 ? { retryAfterMs } : {};
  if (error === undefined) return notOurs(response, text);
  return new LonghaulError(error.code, error.message, { data: { ...data, ...error.data } });
}

/** @throws {LonghaulError} `cancelled` when the signal has aborted, else `server_unreachable`. */
export function networkError(thrown: unknown, url: URL, signal: AbortSignal | undefined): LonghaulError {
  if (signal?.aborted === true) {
    return new LonghaulError('cancelled', 'The request was cancelled.', { cause: thrown });
  }
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  return new LonghaulError(
    'server_unreachable',
    `No answer from ${url.origin} (${why}). Is \`longhaul serve\` running there?`,
    { cause: thrown, data: { origin: url.origin } },
  );
}

export function unreadable(what: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'server_bad_response',
    `${what} is not what this client knows. Client and server may be of different versions.`,
    { cause },
  );
}

function readBody(text: string) {
  try {
    return errorBodySchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

/** A proxy between, another program at this address, or a newer server. */
function notOurs({ status, url }: Response, text: string): LonghaulError {
  const start = text.trim().slice(0, 200);
  return new LonghaulError(
    status === 502 || status === 503 || status === 504 ? 'server_unreachable' : 'server_bad_response',
    `${url} answered ${status} in a form that is not Longhaul's${start === '' ? '' : `: ${start}`}`,
    { data: { status } },
  );
}
