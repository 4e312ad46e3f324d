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
  /** The stream was opened again because of a gap. */
  sawGap?: boolean;
}

/** One connection. Ends when the session is deleted; throws a retryable error when the stream must be opened again. */
async function* readOnce(
  options: EventStreamOptions,
  state: StreamState,
): AsyncGenerator<LonghaulEvent, void, undefined> {
  const lost = new AbortController();
  const signal = AbortSignal.any([lost.signal, ...(options.signal === undefined ? [] : [options.signal])]);
  state.mustWait = true;
  const response = await options.open(state.after, signal);
  state.mustWait = false;
  const parser = new SseParser();
  try {
    for await (const text of readText(response, { lost, signal, silenceMs: options.silenceMs ?? 45_000 })) {
      for (const sse of parser.push(text)) {
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

/** True: nothing more will come. @throws {LonghaulError} when the stream must be opened again. */
function isOver({ data }: SseEvent, state: StreamState): boolean {
  const { reason } = resyncSchema.parse(JSON.parse(data));
  if (reason === 'deleted') return true;
  state.mustWait = reason === 'stopping';
  throw new LonghaulError('server_unreachable', `The server ended the stream of events (${reason}).`);
}

function toEvent(
  { data }: SseEvent,
  state: StreamState,
  { isOneSession = true }: EventStreamOptions,
): LonghaulEvent | undefined {
  const event = parseEvent(data);
  if (!isOneSession) return event;
  if (event.number !== undefined) {
    if (state.after !== undefined && event.number <= state.after) return undefined;
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
    const timer = setTimeout(() => lost.abort(), silenceMs);
    const read = await reader
      .read()
      .catch((thrown: unknown) => {
        if (!lost.signal.aborted) throw networkError(thrown, new URL(response.url), signal);
        throw new LonghaulError(
          'server_unreachable',
          `Nothing came for ${silenceMs} ms, not even a heartbeat.`,
        );
      })
      .finally(() => clearTimeout(timer));
    if (read.done) return;
    yield decoder.decode(read.value, { stream: true });
  }
}
