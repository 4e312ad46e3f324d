import { type JsonObject, LonghaulError } from '@longhaul/protocol';
import { readErrorBody } from './error-body.ts';

/** Converts an error response to a `LonghaulError`. */
export async function responseError(response: Response): Promise<LonghaulError> {
  const text = await response.text().catch(() => '');
  const error = readErrorBody(text);
  const retryAfterMs = Number(response.headers.get('retry-after')) * 1_000;
  const data: JsonObject = retryAfterMs > 0 ? { retryAfterMs } : {};
  if (error === undefined) return foreignError(response, text);
  return new LonghaulError(error.code, error.message, { data: { ...data, ...error.data } });
}

/**
 * Converts a failed request to an error: `cancelled` if the signal has aborted, or else `server_unreachable`.
 *
 * @param url The address of the request. Empty if it is not known: a response of another `fetch` may have none.
 */
export function networkError(thrown: unknown, url: string, signal: AbortSignal | undefined): LonghaulError {
  if (signal?.aborted === true) {
    return new LonghaulError('cancelled', 'The request was cancelled.', { cause: thrown });
  }
  const why = thrown instanceof Error ? thrown.message : String(thrown);
  const origin = URL.canParse(url) ? new URL(url).origin : 'the server';
  return new LonghaulError(
    'server_unreachable',
    `No response from ${origin} (${why}). Check that \`longhaul serve\` is running there.`,
    { cause: thrown, data: { origin } },
  );
}

/** Whether a response is a redirect that was not followed. A browser hides its status. */
export function isRedirect({ status, type }: Response): boolean {
  return type === 'opaqueredirect' || [301, 302, 303, 307, 308].includes(status);
}

/** Names the origin to which a server redirects. A path or a query may contain a secret. */
export function redirectError({ headers }: Response, url: URL): LonghaulError {
  const location = headers.get('location');
  const to = location !== null && URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const where =
    to === undefined ? 'another address' : to.origin === url.origin ? 'another path there' : to.origin;
  return new LonghaulError(
    'server_bad_response',
    `${url.origin} redirects the request to ${where}. Nothing was sent there, because the token belongs to the given address. If the new address is right, set it as baseUrl.`,
    { data: { origin: url.origin } },
  );
}

export function unreadable(what: string, cause?: unknown): LonghaulError {
  return new LonghaulError(
    'server_bad_response',
    `${what} has an unknown format. The client and the server may have different versions.`,
    { cause },
  );
}

/** Returns an error for a response of a proxy, another program or a newer server. */
function foreignError({ status, url }: Response, text: string): LonghaulError {
  const start = text.trim().slice(0, 200);
  return new LonghaulError(
    status === 502 || status === 503 || status === 504 ? 'server_unreachable' : 'server_bad_response',
    `${url} returned ${status} without a Longhaul error${start === '' ? '' : `: ${start}`}`,
    { data: { status } },
  );
}
