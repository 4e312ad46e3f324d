import type { Dispatcher } from '@longhaul/core';

const LOOK_MS = 1_000;

/** The sessions whose events somebody reads. */
export interface ReadSessions {
  readonly isEmpty: boolean;
  has(sessionId: string): boolean;
}

export interface WaitingWatchOptions {
  dispatcher: Pick<Dispatcher, 'positions'>;
  read: () => ReadSessions;
  /** Whether a run of any server drives the session. */
  isDriven: (sessionId: string) => Promise<boolean>;
  /** Gets each change of a position. Undefined: the session has given its turn up. */
  report: (sessionId: string, position: number | undefined) => void;
  onFailure: (error: unknown) => void;
}

/** Reports the positions of sessions that wait for a place of any server, to those who read them. */
export class WaitingWatch implements Disposable {
  readonly #options: WaitingWatchOptions;
  readonly #timer: NodeJS.Timeout;
  /** Positions as they were read last, and as they were reported last. */
  #before: ReadonlyMap<string, number> = new Map();
  readonly #reported = new Map<string, number>();
  #isLooking = false;

  constructor(options: WaitingWatchOptions) {
    this.#options = options;
    this.#timer = setInterval(() => void this.#lookAlone(), LOOK_MS).unref();
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }

  async #lookAlone(): Promise<void> {
    if (this.#isLooking) return;
    this.#isLooking = true;
    try {
      await this.look();
    } catch (error) {
      this.#options.onFailure(error);
    } finally {
      this.#isLooking = false;
    }
  }

  /** Looks now. A position is reported when it is seen for the second time: most sessions begin within a second. */
  async look(): Promise<void> {
    const { dispatcher, read, isDriven, report } = this.#options;
    const sessions = read();
    if (sessions.isEmpty) {
      this.#before = new Map();
      this.#reported.clear();
      return;
    }
    const now = await dispatcher.positions();
    for (const [id, position] of now) {
      if (!sessions.has(id) || !this.#before.has(id) || this.#reported.get(id) === position) continue;
      this.#reported.set(id, position);
      report(id, position);
    }
    for (const id of [...this.#reported.keys()].filter((known) => !now.has(known))) {
      this.#reported.delete(id);
      // The start of its run says that a session waits no longer.
      if (sessions.has(id) && !(await isDriven(id))) report(id, undefined);
    }
    this.#before = now;
  }
}
