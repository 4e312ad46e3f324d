/** Why a request was ended by us. `empty`: there were signs of life, and nothing in them. */
export type EndedBy = 'cancelled' | 'stalled' | 'empty';

/** Signs of life without any content are waited for so many times as long as silence. */
export const EMPTY_STALLS = 10;

export interface RequestGuard extends Disposable {
  /** Goes to the server's connection. Aborts with the caller's signal, with a stall, and on disposal. */
  readonly signal: AbortSignal;
  /** The first cause, once there is one. Later ones don't replace it. */
  readonly endedBy: EndedBy | undefined;
  /** Something came from the server. */
  touch(): void;
  /** Something came that belongs to the answer. */
  progress(): void;
  /** The clock for stalls runs from here to `endWait`: a consumer that takes its time is no silence of the server. */
  startWait(): void;
  endWait(): void;
  /** Resolves when the request is ended by us; never otherwise. */
  readonly ended: Promise<undefined>;
  /** Called once, at once, when the request is ended by us. */
  onEnded: (() => void) | undefined;
}

/**
 * Watches one request for the caller's abort and for silence.
 *
 * It does not trust the connection to notice an abort: a server that is silent, or a `fetch` that ignores its signal, must not keep a
 * cancelled run waiting. What such work still brings is dropped, its failure included.
 */
export function createRequestGuard(options: { signal: AbortSignal; stallMs: number }): RequestGuard {
  const controller = new AbortController();
  const ended = Promise.withResolvers<undefined>();
  let endedBy: EndedBy | undefined;
  let waitsSince: number | undefined;
  /** When waiting for content began. */
  let emptySince: number | undefined;
  let timer: NodeJS.Timeout | undefined;
  let reading: NodeJS.Immediate | undefined;

  const end = (cause: EndedBy) => {
    if (endedBy !== undefined) return;
    endedBy = cause;
    ended.resolve(undefined);
    guard.onEnded?.();
    controller.abort();
  };
  const onAbort = () => end('cancelled');
  // One timer for the whole request, which looks how long the silence has lasted: a timer for every chunk would cost more than the chunk.
  const watch = (delayMs: number) => {
    timer = setTimeout(() => {
      // What came while this process stood still (a machine asleep, a debugger, too much work) has not been read yet: timers come first.
      reading = setImmediate(look);
    }, delayMs);
  };
  const look = () => {
    const now = performance.now();
    const silentMs = waitsSince === undefined ? 0 : now - waitsSince;
    const emptyMs = waitsSince === undefined || emptySince === undefined ? 0 : now - emptySince;
    if (silentMs >= options.stallMs) end('stalled');
    else if (emptyMs >= options.stallMs * EMPTY_STALLS) end('empty');
    else watch(Math.max(1, options.stallMs - silentMs));
  };
  const guard: RequestGuard = {
    signal: controller.signal,
    get endedBy() {
      return endedBy;
    },
    touch() {
      if (waitsSince !== undefined) waitsSince = performance.now();
    },
    progress() {
      emptySince = undefined;
    },
    startWait() {
      waitsSince = performance.now();
      emptySince ??= waitsSince;
    },
    endWait() {
      waitsSince = undefined;
    },
    ended: ended.promise,
    onEnded: undefined,
    [Symbol.dispose]() {
      clearTimeout(timer);
      clearImmediate(reading);
      options.signal.removeEventListener('abort', onAbort);
      controller.abort();
    },
  };
  if (options.signal.aborted) end('cancelled');
  else options.signal.addEventListener('abort', onAbort, { once: true });
  if (options.stallMs > 0) watch(options.stallMs);
  return guard;
}
