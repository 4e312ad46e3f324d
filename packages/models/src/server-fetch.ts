import { type JsonObject, LonghaulError } from '@longhaul/protocol';
import { withUserAsHeader } from './address-user.ts';
import { cutBody, limitEvents, MAX_ERROR_BYTES } from './bounded-body.ts';

type Fetch = typeof globalThis.fetch;

/** The server in messages and in the data of errors. */
export interface FetchTarget {
  provider: string;
  model: string;
}

/**
 * Wraps `fetch` for requests to the server of a model, which can be hostile. Every such request belongs here.
 *
 * - It follows redirects only within the server's origin, with the same method and body. `fetch` itself sends the conversation to every address that
 *   a redirect names, and with it each header except `authorization`, although providers expect keys in others.
 * - It cuts the body of an error, and limits each event of a stream. To read another body as a whole, use `readWhole`.
 *
 * The wrapped function throws `provider_bad_request` for a redirect to another origin. The body of a response throws
 * `provider_bad_response` for an event that is too large.
 */
export function serverFetch(fetch: Fetch = globalThis.fetch, target?: FetchTarget): Fetch {
  const name = target?.provider ?? 'The server';
  return async (input, init) => {
    const response = await followWithin(fetch, withUserAsHeader(input, init), (from, to) =>
      movedAway(name, from, to, target),
    );
    if (response.body === null) return response;
    return withBody(
      response,
      response.ok
        ? limitEvents(response.body, (bytes) => tooLarge(name, bytes, target))
        : cutBody(response.body, MAX_ERROR_BYTES),
    );
  };
}

const REDIRECTS: ReadonlySet<number | undefined> = new Set([301, 302, 303, 307, 308]);
export function isRedirect(status: number | undefined): boolean {
  return REDIRECTS.has(status);
}

/** As many as `fetch` follows. */
const MAX_REDIRECTS = 20;

type Refusal = (from: URL, to: URL | undefined) => LonghaulError;

async function followWithin(
  fetch: Fetch,
  [input, init]: Parameters<Fetch>,
  refusal: Refusal,
): Promise<Response> {
  let url = new URL(input instanceof Request ? input.url : input);
  const request: RequestInit = { ...init, redirect: 'manual' };
  let response = await fetch(input, request);
  for (let followed = 0; ; followed += 1) {
    const location = isRedirect(response.status) ? response.headers.get('location') : null;
    if (location === null) return response;
    await response.body?.cancel();
    // The error of `fetch` itself, which `mapProviderError` knows.
    if (followed === MAX_REDIRECTS)
      throw new TypeError('fetch failed', { cause: new Error('redirect count exceeded') });
    const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
    // The body of a `Request` or a stream can be sent only once.
    const isRepeatable = !(input instanceof Request) && typeof (request.body ?? '') === 'string';
    // `fetch` itself would turn a POST into a GET after 301 and 302, which is not a model call. 303 demands a GET.
    const wantsGet = response.status === 303 && !['GET', 'HEAD'].includes(methodOf(request));
    if (next === undefined || next.origin !== url.origin || !isRepeatable || wantsGet)
      throw refusal(url, next);
    url = next;
    response = await fetch(url, request);
  }
}

function methodOf({ method = 'GET' }: RequestInit): string {
  return method.toUpperCase();
}

/** The constructor of `Response` refuses some statuses that a server can send. */
function withBody(response: Response, body: ReadableStream<Uint8Array>): Response {
  const { status, ok, url, headers } = response;
  return Object.defineProperties(new Response(body, { headers }), {
    status: { value: status },
    ok: { value: ok },
    url: { value: url },
  });
}

function movedAway(
  name: string,
  from: URL,
  to: URL | undefined,
  target: FetchTarget | undefined,
): LonghaulError {
  const setting = target === undefined ? 'the base URL' : `baseUrl of the provider ${target.provider}`;
  return redirected(`${name} (${from.origin})`, { from, to, setting, data: { ...target } });
}

export interface Redirect {
  from: URL;
  /** Undefined: the address is invalid. */
  to: URL | undefined;
  /** What has the address. */
  setting: string;
  data: JsonObject;
}

/** Returns the error for a redirect that is not followed. */
export function redirected(name: string, { from, to, setting, data }: Redirect): LonghaulError {
  // The origin only: a path or a query may contain the key.
  const where =
    to === undefined ? 'an invalid address' : to.origin === from.origin ? 'another path there' : to.origin;
  return new LonghaulError(
    'provider_bad_request',
    `${name} redirects the request to ${where}. Nothing was sent there, because the key and the conversation belong to the configured address. If the new address is right, set it as ${setting}.`,
    { data },
  );
}

function tooLarge(name: string, bytes: number, target: FetchTarget | undefined): LonghaulError {
  return new LonghaulError(
    'provider_bad_response',
    `${name} sent an event of more than ${bytes >> 20} MiB, so the answer was ended.`,
    { data: { ...target } },
  );
}
