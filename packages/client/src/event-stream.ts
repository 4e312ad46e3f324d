import { LonghaulError, type LonghaulEvent, toLonghaulError } from '@longhaul/protocol';
import { resyncSchema } from '@longhaul/protocol/api';
import { sleep } from './backoff.ts';
import { delayFor } from './caller.ts';
import { networkError, unreadable } from './response-error.ts';
import { type SseEvent, SseParser } from './sse-parser.ts';
import { TextOffsets } from './text-offsets.ts';

export interface EventStreamOptions {
  /** Opens the stream after a number; undefined: from now on. */
  open: (after: number | undefined, signal: AbortSignal) => Promise<Response>;
  /** Number of the last event that was seen. */
  after?: number | undefined;
  /** Ends the iteration, without an error. */
  signal?: AbortSignal | undefined;
  /** Silence, heartbeats included, after which a stream counts as lost. Default 45 000. */
  silenceMs?: number | undefined;
  /** Told of each time that the stream is opened again, and why. */
  onReconnect?: ((error: LonghaulError) => void) | undefined;
  retryDelayMs?: number | undefined;
  /** False: numbers and texts of many sessions, in no order. Default true. */
  isOneSession?: boolean;
}

/**
 * Events of a stream that is opened again, after the last number that came, whenever it ends. Each numbered event comes once, in order;
 * pieces of a text come without an overlap.
 *
 * @throws {LonghaulError} what opening it again cannot mend, such as `unauthorized` or `session_not_found`.
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
      // A stream that was let go while it worked may be opened again at once.
      if (failures > 1 || state.mustWait) await sleep(delayFor(error, failures, state.retryMs), signal);
    }
  }
}

interface StreamState {
  after: number | undefined;
  texts: TextOffsets;
  retryMs: number;
  mustWait?: boolean;
  /** The stream was opened again because of a gap in a text. */
  sawGap?: boolean;
  /** It was opened again because the event after this number did not come. Where it does not come then either, there is none. */
  holeAfter?: number;
}

/** One connection. Ends when the session is deleted; throws a retryable error when the stream must be opened again. */
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
        const event = sse.type === 'message' ? toEvent(sse, state, options) : undefined;
        if (event !== undefined) yield event;
      }
      state.retryMs = parser.retryMs ?? state.retryMs;
    }
  } finally {
    lost.abort();
  }
  throw new LonghaulError('server_unreachable', 'The stream of events ended.');
}

/** A page to sign in at, or another program, will say the same again. */
function assertStream({ headers, url }: Response): void {
  const type = headers.get('content-type') ?? 'no content type';
  if (!type.startsWith('text/event-stream')) throw unreadable(`The answer of ${url} (${type})`);
}

/** True: nothing more will come. @throws {LonghaulError} when the stream must be opened again. */
function isOver({ data }: SseEvent, state: StreamState): boolean {
  const reason = resyncReason(data);
  if (reason === 'deleted') return true;
  state.mustWait = reason !== 'slow';
  throw new LonghaulError('server_unreachable', `The server ended the stream of events (${reason}).`);
}

/** A newer server may have other reasons: it is come back to, as for all but one. */
function resyncReason(data: string): string {
  try {
    return (
      resyncSchema.safeParse(JSON.parse(data)).data?.reason ?? 'for a reason that this client does not know'
    );
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
    throw new LonghaulError('server_unreachable', 'A piece of text is missing from the stream of events.');
  }
  state.texts.skipTo(event);
  return event;
}

/** Events are the server's own: what a newer one adds is handed on as it is. */
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
      throw networkError(thrown, new URL(response.url), signal);
    });
    const { done, value } = await inTime(read, { lost, silenceMs });
    if (done) return;
    yield decoder.decode(value, { stream: true });
  }
}

/** For reading what lies there already. */
const LATE_MS = 50;

/** Heartbeats come within this time, so whatever does not is lost: headers too, which a proxy may hold back for ever. */
async function inTime<T>(
  work: Promise<T>,
  { lost, silenceMs }: { lost: AbortController; silenceMs: number },
): Promise<T> {
  let timer = setTimeout(() => {
    // What came while this program itself stood still, as on a machine that was asleep, has not been read yet.
    timer = setTimeout(() => lost.abort(), LATE_MS);
  }, silenceMs);
  try {
    return await work;
  } catch (error) {
    if (!lost.signal.aborted) throw error;
    throw new LonghaulError('server_unreachable', `Nothing came for ${silenceMs} ms, not even a heartbeat.`);
  } finally {
    clearTimeout(timer);
  }
}
