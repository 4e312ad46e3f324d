import { SlotPool } from './slot-pool.ts';
import type { Upstream } from './upstream.ts';
import type { WindowBook } from './window-book.ts';

export interface RoomRequest {
  upstream: Upstream;
  model: string;
  /** Tokens of the request and its answer. */
  tokens: number;
  /** Whether the request must be the only one. */
  isAlone?: boolean;
  signal: AbortSignal;
  onWait: () => void;
}

/** The number of slots that llama-server has if it is started without `-np`. They share one window. */
const DEFAULT_SLOTS = 4;

/** The pools of all servers whose slots share one window. */
export class SharedWindows {
  readonly #windows: Pick<WindowBook, 'reportOf'>;
  readonly #pools = new Map<string, SlotPool>();

  constructor(windows: Pick<WindowBook, 'reportOf'>) {
    this.#windows = windows;
  }

  /**
   * Resolves when there is room for the request, with a function that frees it. Resolves at once if the server has one
   * slot, or if its slots have windows of their own.
   *
   * @throws {LonghaulError} `queue_full`. The signal's reason if it is aborted.
   */
  async enter({ upstream, model, tokens, isAlone, signal, onWait }: RoomRequest): Promise<() => void> {
    const poolTokens = this.#poolTokens(upstream, model);
    if (poolTokens === undefined) return () => {};
    // Requests also count while the slots seem to have windows of their own: a refusal may show that they share one.
    const key = `${upstream.name}\n${model}`;
    const pool = this.#pools.get(key) ?? new SlotPool();
    this.#pools.set(key, pool);
    const own = isAlone === true ? poolTokens : tokens;
    const free = await pool.enter({ tokens: own, poolTokens, signal, onWait });
    return () => {
      free();
      // Model names come from clients.
      if (pool.isIdle && this.#pools.get(key) === pool) this.#pools.delete(key);
    };
  }

  /** Whether a refusal without sizes can mean that other requests take the room. */
  mayBeFull(upstream: Upstream, model: string): boolean {
    return (this.#windows.reportOf(upstream, model)?.slots ?? 1) > 1;
  }

  /** Undefined for a server with one slot. Infinite if its slots have windows of their own. */
  #poolTokens(upstream: Upstream, model: string): number | undefined {
    const report = this.#windows.reportOf(upstream, model);
    if (report === undefined || (report.slots ?? 1) < 2) return undefined;
    // No server reports whether its slots share one window.
    const isDefault = report.slots === DEFAULT_SLOTS || report.source.startsWith('LM Studio');
    return isDefault || upstream.sharesWindow ? report.windowTokens : Number.POSITIVE_INFINITY;
  }
}
