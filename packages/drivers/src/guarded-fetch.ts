import { MAX_ERROR_BYTES, mapProviderError, readWhole } from '@longhaul/models';
import { isObject, LonghaulError, parseJson } from '@longhaul/protocol';
import { readLabelledJson } from './mislabelled-stream.ts';
import { type CallTarget, statusIn } from './step-failure.ts';

export interface GuardedFetchOptions {
  fetch: typeof globalThis.fetch;
  target: CallTarget;
  /**
   * Called when bytes of the response to the request with this signal arrive. Comments that only keep the connection
   * open count.
   */
  onBytes: (signal: AbortSignal) => void;
}

/**
 * Wraps `fetch`: reports every arrival of bytes, and recognises a response that is not a stream of events.
 *
 * The providers' parsers find no event in such a response and report a stream that ended early, which would be retried.
 * LM Studio answers a wrong path with status 200 and a JSON error, and proxies answer with a page.
 */
export function createGuardedFetch(options: GuardedFetchOptions): typeof globalThis.fetch {
  return async (input, init) => {
    const response = await options.fetch(input, init);
    const signal = init?.signal;
    if (!response.ok || response.body === null) return response;
    const contentType = response.headers.get('content-type') ?? '';
    if (/^text\/html\b/i.test(contentType)) {
      throw notAStream(await readWhole(response, MAX_ERROR_BYTES), contentType, options);
    }
    if (!/^application\/json\b/i.test(contentType)) return withReports(response, signal, options);
    const read = await readLabelledJson(response);
    if ('text' in read) throw notAStream(read.text, contentType, options);
    return withReports(read.events, signal, options);
  };
}

function withReports(
  response: Response,
  signal: AbortSignal | null | undefined,
  { onBytes }: GuardedFetchOptions,
): Response {
  if (signal === null || signal === undefined || response.body === null) return response;
  const body = reportBytes(response.body, () => onBytes(signal));
  return new Response(body, { status: response.status, headers: response.headers });
}

/** How long a connection may stay open after the end of its stream. */
const CLOSING_MS = 250;

function reportBytes(body: ReadableStream<Uint8Array>, onBytes: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  let isAtEnd = false;
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = isAtEnd ? await readWithin(reader, CLOSING_MS) : await reader.read();
        if (done) return controller.close();
        onBytes();
        isAtEnd = endsStream(value);
        controller.enqueue(value);
      },
      cancel: (reason) => reader.cancel(reason),
    },
    { highWaterMark: 0 },
  );
}

/**
 * Whether the bytes end with `data: [DONE]`, the last event of an OpenAI-compatible stream. Some servers keep the
 * connection open after it.
 */
function endsStream(bytes: Uint8Array): boolean {
  // Apart from line ends, `]` is the last byte. This check alone rules out most chunks.
  let end = bytes.length;
  while (end > 0 && (bytes[end - 1] === 10 || bytes[end - 1] === 13)) end -= 1;
  if (bytes[end - 1] !== 93) return false;
  return /^data: ?\[DONE\]$/m.test(new TextDecoder().decode(bytes.subarray(Math.max(0, end - 32), end)));
}

type Reading = Awaited<ReturnType<ReadableStreamDefaultReader<Uint8Array>['read']>>;

async function readWithin(reader: ReadableStreamDefaultReader<Uint8Array>, ms: number): Promise<Reading> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Reading>((resolve) => {
    timer = setTimeout(() => resolve({ done: true, value: undefined }), ms);
  });
  const reading = reader.read();
  const next = await Promise.race([reading, late]);
  clearTimeout(timer);
  if (next.done) {
    // Later bytes are discarded.
    reading.catch(() => {});
    reader.cancel().catch(() => {});
  }
  return next;
}

function notAStream(text: string, contentType: string, options: GuardedFetchOptions): LonghaulError {
  const { provider, model } = options.target;
  const error = contentType.includes('json') ? errorIn(text) : undefined;
  if (error !== undefined) {
    // A body without a code is a refusal: LM Studio answers a wrong path so. It is not retried.
    const status = error.status ?? 400;
    return mapProviderError({ status, body: text, ...options.target });
  }
  return new LonghaulError(
    'provider_bad_request',
    `Expected a stream of events from ${provider}, got ${contentType}: ${JSON.stringify(text.slice(0, 200))}. Check its baseUrl; for most servers it ends in /v1.`,
    { data: { provider, model } },
  );
}

/** Returns the error that a body consists of, with the status that it names. FastAPI sends a bare `detail`. */
function errorIn(text: string): { status: number | undefined } | undefined {
  const body = parseJson(text);
  if (!isObject(body) || !('error' in body || 'detail' in body)) return undefined;
  const { error } = body;
  const codes = [isObject(error) ? error['code'] : undefined, body['code'], body['status']];
  return { status: codes.map(statusIn).find((status) => status !== undefined) };
}
