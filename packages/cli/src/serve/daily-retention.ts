import type { Store } from '@longhaul/core';
import type { ServeLog } from './logged-warnings.ts';

/** Interval of checks. */
const CHECK_MS = 5 * 60 * 1_000;
/** From this hour on, local time, at the first check without an active run. */
const QUIET_HOUR = 3;
/** From this hour on also while runs are active. */
const LAST_HOUR = 6;
/** In the settings of the store, so that of several servers one does it, also after a restart. */
const KEY = 'retention';

export interface DailyRetentionOptions {
  store: Pick<Store, 'getSetting' | 'putSetting'>;
  /** Whether `storage.retention` sets a limit. */
  hasLimit: () => boolean;
  activeRuns: () => number;
  /** Deletes what the limits name. */
  collect: () => Promise<object>;
  log: ServeLog;
  now?: () => Date;
}

/** Applies `storage.retention` once a day, at an hour at which little happens. */
export class DailyRetention implements Disposable {
  readonly #options: DailyRetentionOptions;
  readonly #timer: NodeJS.Timeout;
  #isBusy = false;

  constructor(options: DailyRetentionOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.check(), CHECK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  /** Returns whether it was the time. Does not reject. */
  async check(): Promise<boolean> {
    const { store, hasLimit, activeRuns, collect, log, now = () => new Date() } = this.#options;
    const time = now();
    if (this.#isBusy || !hasLimit() || !isQuiet(time, activeRuns())) return false;
    this.#isBusy = true;
    try {
      const day = dayOf(time);
      if ((await store.getSetting(KEY)) === day) return false;
      await store.putSetting(KEY, day);
      log.info(await collect(), 'storage.retention was applied');
      return true;
    } catch (error) {
      // It is tried again on the next day.
      log.warn({ err: error }, 'storage.retention could not be applied: longhaul gc shows the reason');
      return true;
    } finally {
      this.#isBusy = false;
    }
  }
}

function isQuiet(time: Date, activeRuns: number): boolean {
  const hour = time.getHours();
  return hour >= LAST_HOUR || (hour >= QUIET_HOUR && activeRuns === 0);
}

function dayOf(time: Date): string {
  return [time.getFullYear(), time.getMonth() + 1, time.getDate()].join('-');
}
