import { type DriverFor, type ModelDriver, untilAborted } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';

interface Entry {
  driver: Promise<ModelDriver>;
  /** Those who wait and can leave. */
  waiting: number;
  /** Somebody waits who cannot leave. */
  isNeeded: boolean;
  isOpen: boolean;
  leave: AbortController;
}

/**
 * Opens each driver once. When nobody waits for it any more, opening is aborted, and the next caller starts it again. A
 * driver that could not be opened is opened again too: its server may be reachable the next time.
 */
export class DriverCache {
  readonly #entries = new Map<string, Entry>();
  readonly #open: (name: string, signal: AbortSignal) => Promise<ModelDriver>;

  constructor(open: (name: string, signal: AbortSignal) => Promise<ModelDriver>) {
    this.#open = open;
  }

  readonly driverFor: DriverFor = async (name, signal) => {
    const entry = this.#entries.get(name) ?? this.#begin(name);
    if (entry.isOpen) return await entry.driver;
    if (signal === undefined) {
      entry.isNeeded = true;
      return await entry.driver;
    }
    return await this.#wait(name, entry, signal);
  };

  /** Adds a driver that is open already. */
  add(name: string, driver: ModelDriver): void {
    const entry = { waiting: 0, isNeeded: true, isOpen: true, leave: new AbortController() };
    this.#entries.set(name, { ...entry, driver: Promise.resolve(driver) });
  }

  #begin(name: string): Entry {
    const leave = new AbortController();
    const driver = this.#open(name, leave.signal);
    const entry: Entry = { driver, waiting: 0, isNeeded: false, isOpen: false, leave };
    this.#entries.set(name, entry);
    driver.then(
      () => {
        entry.isOpen = true;
      },
      () => this.#forget(name, entry),
    );
    return entry;
  }

  async #wait(name: string, entry: Entry, signal: AbortSignal): Promise<ModelDriver> {
    entry.waiting += 1;
    try {
      return await untilAborted(entry.driver, signal, notNeeded);
    } finally {
      entry.waiting -= 1;
      if (entry.waiting === 0 && !entry.isNeeded && !entry.isOpen) {
        this.#forget(name, entry);
        entry.leave.abort();
      }
    }
  }

  #forget(name: string, entry: Entry): void {
    if (this.#entries.get(name) === entry) this.#entries.delete(name);
  }
}

function notNeeded(): LonghaulError {
  return new LonghaulError('cancelled', 'Nobody waits for the model any more.');
}
