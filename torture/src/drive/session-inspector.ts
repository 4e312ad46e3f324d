import { existsSync } from 'node:fs';
import { checkBlobs, checkDatabase, checkUnchanged } from '../checks/check-database.ts';
import { type Defect, defect } from '../checks/defect.ts';
import type { SessionPaths } from '../records/paths.ts';
import { readDatabase, type StoredSession } from '../records/read-database.ts';

/** Compares the stored session with its state at the previous inspection. */
export class SessionInspector {
  readonly #paths: SessionPaths;
  readonly #sessionId: string;
  #before: StoredSession | undefined;

  constructor(paths: SessionPaths, sessionId: string) {
    this.#paths = paths;
    this.#sessionId = sessionId;
  }

  /** Whether the session was found stored at the last inspection. */
  get hasSession(): boolean {
    return (this.#before?.events.length ?? 0) > 0;
  }

  /** Checks the stored data as it is now, also while processes write it. */
  inspect(): Defect[] {
    if (!existsSync(this.#paths.database)) return [];
    try {
      const now = readDatabase(this.#paths.database, this.#sessionId);
      const changed = this.#before === undefined ? [] : checkUnchanged(this.#before, now);
      this.#before = now;
      return [...changed, ...checkDatabase(now), ...checkBlobs(now, this.#paths.blobs)];
    } catch (error) {
      // A process killed while it creates the tables leaves no tables.
      if (this.#before === undefined && String(error).includes('no such table')) return [];
      return [defect('corruption', `the database cannot be read: ${error}`)];
    }
  }
}
