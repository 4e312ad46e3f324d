import { LonghaulError } from '@longhaul/protocol';

export interface PoolRequest {
  /** Tokens of the request and its answer. */
  tokens: number;
  /** Tokens of the whole pool. */
  poolTokens: number;
  signal: AbortSignal;
  /** Called if the request must wait. */
  onWait: () => void;
}

interface Waiting {
  request: PoolRequest;
  enter: () => void;
}

/** A longer queue would only time out. */
const MAX_WAITING = 100;
const RETRY_AFTER_SECONDS = 5;

/**
 * The window of a server whose slots share it. Requests enter in the order in which they arrive, as soon as the sum of
 * all tokens fits. A request that is alone always enters.
 */
export class SlotPool {
  readonly #waiting: Waiting[] = [];
  #tokens = 0;
  #requests = 0;

  get isIdle(): boolean {
    return this.#requests === 0 && this.#waiting.length === 0;
  }

  /**
   * Resolves when the request may be sent, with a function that frees its room.
   *
   * @throws {LonghaulError} `queue_full`. The signal's reason if it is aborted.
   */
  async enter(request: PoolRequest): Promise<() => void> {
    request.signal.throwIfAborted();
    if (this.#waiting.length > 0 || !this.#fits(request)) await this.#wait(request);
    else this.#add(request);
    let isFree = false;
    return () => {
      if (isFree) return;
      isFree = true;
      this.#tokens -= request.tokens;
      this.#requests -= 1;
      this.#admit();
    };
  }

  #fits({ tokens, poolTokens }: PoolRequest): boolean {
    return this.#requests === 0 || this.#tokens + tokens <= poolTokens;
  }

  #add({ tokens }: PoolRequest): void {
    this.#tokens += tokens;
    this.#requests += 1;
  }

  #admit(): void {
    for (
      let next = this.#waiting[0];
      next !== undefined && this.#fits(next.request);
      next = this.#waiting[0]
    ) {
      this.#waiting.shift();
      this.#add(next.request);
      next.enter();
    }
  }

  async #wait(request: PoolRequest): Promise<void> {
    if (this.#waiting.length >= MAX_WAITING) throw queueFull();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const waiting = { request, enter: resolve };
    const leave = () => {
      const at = this.#waiting.indexOf(waiting);
      if (at === -1) return;
      this.#waiting.splice(at, 1);
      reject(request.signal.reason);
      this.#admit();
    };
    this.#waiting.push(waiting);
    request.signal.addEventListener('abort', leave, { once: true });
    request.onWait();
    await promise.finally(() => request.signal.removeEventListener('abort', leave));
  }
}

function queueFull(): LonghaulError {
  const message = `${MAX_WAITING} requests wait for room in the window that the slots of the server share. Try again in ${RETRY_AFTER_SECONDS} seconds, or start the server with more context.`;
  return new LonghaulError('queue_full', message, { data: { retryAfterSeconds: RETRY_AFTER_SECONDS } });
}
