import { renameSync, writeFileSync } from 'node:fs';
import { findFaketime } from '@longhaul/testing/machine';
import type { ClockStep } from './life-plan.ts';

const library = findFaketime();

/**
 * The wall clock that the processes of a session see. It can be set at any time, also while they run. Timers and the
 * uptime stay true, as on a machine whose clock is set. Needs libfaketime; without it, the clock stays true.
 */
export class SessionClock {
  static readonly isSettable = library !== undefined;
  /** Number of times that it was set to another time. */
  steps = 0;
  readonly #path: string;
  #hours = 0;
  /** The earliest time that it has shown since the life before the current one began, relative to the true time. */
  #lowestHours = [0, 0];

  /** @param path A file that the processes of the session read. */
  constructor(path: string) {
    this.#path = path;
    this.#write();
  }

  /** Environment of a process that sees this clock. */
  get environment(): Readonly<Record<string, string>> {
    if (library === undefined) return {};
    return {
      LD_PRELOAD: library,
      FAKETIME_TIMESTAMP_FILE: this.#path,
      // Reads the file at every look at the clock, so that a step takes effect at once.
      FAKETIME_NO_CACHE: '1',
      FAKETIME_DONT_FAKE_MONOTONIC: '1',
      DONT_FAKE_MONOTONIC: '1',
    };
  }

  /** Whether the clock has been behind the true time during this life or the one before. */
  get wasBehind(): boolean {
    return Math.min(...this.#lowestHours) < 0;
  }

  /** Begins a life and sets the clock as planned for its start. */
  beginLife(plan: readonly ClockStep[] = []): void {
    this.#lowestHours = [this.#lowestHours[1] ?? 0, this.#hours];
    for (const { afterMs, hours } of plan) if (afterMs === 0) this.#set(hours);
  }

  /** Starts timers that set the clock as planned for later. */
  plan(plan: readonly ClockStep[] = []): NodeJS.Timeout[] {
    const later = plan.filter(({ afterMs }) => afterMs > 0);
    return later.map(({ afterMs, hours }) => setTimeout(() => this.#set(hours), afterMs));
  }

  #set(hours: number): void {
    if (!SessionClock.isSettable || hours === this.#hours) return;
    this.steps += 1;
    this.#hours = hours;
    this.#lowestHours = this.#lowestHours.map((lowest) => Math.min(lowest, hours));
    this.#write();
  }

  /** Replaces the file, because a process may read it at any moment. */
  #write(): void {
    const next = `${this.#path}.next`;
    writeFileSync(next, `${this.#hours < 0 ? '-' : '+'}${Math.abs(Math.round(this.#hours * 3600))}\n`);
    renameSync(next, this.#path);
  }
}
