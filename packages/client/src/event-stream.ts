import { LonghaulError, type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import { sleep } from './backoff.ts';
import { delayFor } from './caller.ts';
import { networkError, unreadable } from './response-error.ts';
import { type SseEvent, SseParser } from './sse-parser.ts';
import { TextOffsets } from './text-offsets.ts';

export interface EventStreamOptions {
  /** Opens the stream after the event with this number. Undefined: new events only. */
  open: (after: number | undefined, signal: AbortSignal) => Promise<Response>;
  /** Number of the last event that the caller has. */
  after?: number | undefined;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /**
   * Milliseconds without any data, including heartbeats, after which the connection counts as lost. Default: 45,000.
   */
  silenceMs?: number | undefined;
  /** Called before each reconnect, with the error that ended the connection. */
  onReconnect?: ((error: LonghaulError) => void) | undefined;
  /** Called when another process has changed the store. Only for the stream of all sessions. */
  onChanged?: (() => void) | undefined;
  /** Milliseconds before the first retry of a failed connection. Default: 500. */
  retryDelayMs?: number | undefined;
  /** False: the stream has events of many sessions, so numbers and offsets are not checked. Default: true. */
  isOneSession?: boolean;
}

/**
 * Reads the events of a stream, and reconnects after the last received number whenever the stream ends. Each numbered
 * event arrives once and in order. Pieces of text do not overlap.
 *
 * @throws {LonghaulError} Errors that are not retryable, such as `unauthorized` or `session_not_found`.
 */
export async function* readEvents(
  options: EventStreamOptions,
): AsyncGenerator<LonghaulEvent, void, undefined> {
  const state: StreamState = {
    after: options.after,
    texts: new TextOffsets(),
    retryMs: options.retryDelayMs ?? 500,
  };
  const { signal } = options;
  const isAborted = () => signal?.aborted === true;
  for (let failures = 0; !isAborted(); ) {
    try {
      for await (const event of readOnce(options, state)) {
        failures = 0;
        yield event;
      }
      return;
    } catch (thrown) {
      if (isAborted()) return;
      const error = toLonghaulError(thrown);
      if (!error.retryable) throw error;
      options.onReconnect?.(error);
      failures += 1;
      // Reopens at once if the stream was open and this is the first failure since an event. Waits after other
      // failures, and after a resync other than `slow`.
      if (failures > 1 || state.mustWait) await sleep(delayFor(error, failures, state.retryMs), signal);
    }
  }
}

interface StreamState {
  after: number | undefined;
  texts: TextOffsets;
  retryMs: number;
  mustWait?: boolean;
  /** The last reconnect was caused by a gap in a text. */
  sawGap?: boolean;
  /**
   * The stream was reopened because the event after this number was missing. If it is missing again, it does not exist.
   */
  holeAfter?: number;
}

/** Reads one connection. Returns if the session is deleted. Throws a retryable error if the stream must be reopened. */
async function* readOnce(
  options: EventStreamOptions,
  state: StreamState,
): AsyncGenerator<LonghaulEvent, void, undefined> {
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  const { silenceMs = 45_000 } = options;
  state.mustWait = true;
  const parser = new SseParser();
  try {
    const response = await inTime(options.open(state.after, signal), { lost, silenceMs });
    assertStream(response);
    state.mustWait = false;
    for await (const text of readText(response, { lost, signal, silenceMs })) {
      for (const sse of parser.push(text)) {
        if (options.signal?.aborted === true) return;
        if (sse.type === 'resync' && isOver(sse, state)) return;
        if (sse.type === 'changed') options.onChanged?.();
        const event = sse.type === 'message' ? toEvent(sse, state, options) : undefined;
        if (event !== undefined) yield event;
      }
      state.retryMs = parser.retryMs ?? state.retryMs;
    }
  } finally {
    lost.abort();
  }
  throw new LonghaulError('server_unreachable', 'The event stream ended.');
}

/**
 * Checks the content type. A sign-in page or another program would send the same response again, so the error is not
 * retryable.
 */
function assertStream({ headers, url }: Response): void {
  const type = headers.get('content-type') ?? 'no content type';
  if (!type.startsWith('text/event-stream')) throw unreadable(`The response of ${url} (${type})`);
}

/**
 * Returns true if the session is deleted and no more events will follow.
 *
 * @throws {LonghaulError} A retryable error if the stream must be reopened.
 */
function isOver({ data }: SseEvent, state: StreamState): boolean {
  const reason = resyncReason(data);
  if (reason === 'deleted') return true;
  state.mustWait = reason !== 'slow';
  throw new LonghaulError('server_unreachable', `The server ended the event stream (${reason}).`);
}

/**
 * Returns the reason of a resync event. A newer server may have other reasons, after which the client also reconnects.
 */
function resyncReason(data: string): string {
  try {
    const resync: { reason?: unknown } | null = JSON.parse(data);
    return typeof resync?.reason === 'string' ? resync.reason : 'unknown reason';
  } catch (error) {
    throw unreadable('A resync event', error);
  }
}

function toEvent(
  { data }: SseEvent,
  state: StreamState,
  { isOneSession = true }: EventStreamOptions,
): LonghaulEvent | undefined {
  const event = parseEvent(data);
  if (!isOneSession) return event;
  if (event.number !== undefined) {
    const { after } = state;
    if (after !== undefined && event.number <= after) return undefined;
    if (after !== undefined && event.number > after + 1 && state.holeAfter !== after) {
      state.holeAfter = after;
      throw new LonghaulError('server_unreachable', `Event ${after + 1} is missing from the stream.`);
    }
    state.after = event.number;
  }
  if (event.type !== 'llm:chunk') return event;
  const fresh = state.texts.take(event);
  if (fresh !== 'gap') {
    state.sawGap = false;
    return fresh;
  }
  if (state.sawGap !== true) {
    state.sawGap = true;
    throw new LonghaulError('server_unreachable', 'A piece of text is missing from the event stream.');
  }
  state.texts.skipTo(event);
  return event;
}

/** Parses an event without validating its fields, so events and fields of a newer server are kept. */
function parseEvent(data: string): LonghaulEvent {
  try {
    const event: LonghaulEvent = JSON.parse(data);
    if (typeof event.type === 'string' && typeof event.sessionId === 'string') return event;
  } catch (error) {
    throw unreadable('An event', error);
  }
  throw unreadable('An event');
}

async function* readText(
  response: Response,
  { lost, signal, silenceMs }: { lost: AbortController; signal: AbortSignal; silenceMs: number },
): AsyncGenerator<string, void, undefined> {
  if (response.body === null) throw unreadable('A stream without a body');
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  for (;;) {
    const read = reader.read().catch((thrown: unknown) => {
      throw networkError(thrown, response.url, signal);
    });
    const { done, value } = await inTime(read, { lost, silenceMs });
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** Time to read data that has already arrived. */
const LATE_MS = 50;

/**
 * Aborts the connection if `work` takes longer than `silenceMs`. The server sends heartbeats more often, so the
 * connection is then lost. The limit also applies to response headers, which a proxy may hold back.
 */
async function inTime<T>(
  work: Promise<T>,
  { lost, silenceMs }: { lost: AbortController; silenceMs: number },
): Promise<T> {
  let timer = setTimeout(() => {
    // The program may have been suspended, for example while the machine slept. Data that arrived in the meantime is
    // read first.
    timer = setTimeout(() => lost.abort(), LATE_MS);
  }, silenceMs);
  try {
    return await work;
  } catch (error) {
    if (!lost.signal.aborted) throw error;
    throw new LonghaulError(
      'server_unreachable',
      `Received no data for ${silenceMs} ms, not even a heartbeat.`,
    );
  } finally {
    clearTimeout(timer);
  }
}
