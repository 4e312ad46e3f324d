/** Why the guard ended a request. `empty`: the server sent bytes, but no content. */
export type EndedBy = 'cancelled' | 'stalled' | 'empty';

/** A server that sends bytes without content may take this many times as long as a silent one. */
export const EMPTY_STALLS = 10;

export interface RequestGuard extends Disposable {
  /** For the connection. Aborts with the caller's signal, on a stall, and on disposal. */
  readonly signal: AbortSignal;
  /** The first cause, or undefined so far. Later causes don't replace it. */
  readonly endedBy: EndedBy | undefined;
  /** Call when the server sends anything. */
  touch(): void;
  /** Call when the server sends content. */
  progress(): void;
  /** Starts the stall clock, which runs until `endWait`. A slow consumer does not count as a silent server. */
  startWait(): void;
  endWait(): void;
  /** Resolves when the guard ends the request. Otherwise it never settles. */
  readonly ended: Promise<undefined>;
  /** Called once, synchronously, when the guard ends the request. */
  onEnded: (() => void) | undefined;
}

/**
 * Watches one request for the caller's abort and for silence.
 *
 * It does not rely on the connection to notice an abort: neither a silent server nor a `fetch` that ignores its signal
 * may keep a cancelled run waiting. Whatever such a request still returns is discarded, failures included.
 */
export function createRequestGuard(options: { signal: AbortSignal; stallMs: number }): RequestGuard {
  const controller = new AbortController();
  const ended = Promise.withResolvers<undefined>();
  let endedBy: EndedBy | undefined;
  let waitsSince: number | undefined;
  /** When the wait for content began. */
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
  // One timer for the whole request checks how long the silence has lasted. A timer per chunk would cost more than the
  // chunk.
  const watch = (delayMs: number) => {
    timer = setTimeout(() => {
      // Bytes that arrived while this process was suspended (by sleep, a debugger or load) have not been read yet,
      // because timers run first.
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
