import { createHash } from 'node:crypto';
import { existsSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { uptime } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '@longhaul/core/host-processes';
import { readOwnFile, writeOwnFile } from './own-file.ts';

/**
 * Text that a person typed and did not send. Each session has its own draft. A conversation without a session has one too,
 * which belongs to its process: the next new conversation gets it when that process has ended.
 */
export class Drafts {
  readonly #folder: string;
  readonly #name: string;
  #path: string | undefined;
  #kept = '';

  /** @param name Identifies the place of the conversations. */
  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#name = name;
  }

  /** Returns the draft of a session, or of a new conversation, and keeps the next texts as this draft. */
  open(sessionId: string | undefined): string {
    this.#path = sessionId === undefined ? this.#ofNew() : this.#ofSession(sessionId);
    this.#kept = readOwnFile(this.#path);
    return this.#kept;
  }

  /** Keeps the text until the next call, also if this process is killed. Before a draft is opened, it does nothing. */
  keep(text: string): void {
    if (this.#path === undefined || text === this.#kept) return;
    if (text === '') rmSync(this.#path, { force: true });
    else writeOwnFile(this.#path, text);
    this.#kept = text;
  }

  #ofSession(sessionId: string): string {
    const name = createHash('sha256').update(sessionId).digest('hex').slice(0, 24);
    return join(this.#folder, `${this.#name}-${name}.draft`);
  }

  #ofNew(): string {
    const path = join(this.#folder, `${this.#name}-new-${process.pid}.draft`);
    if (existsSync(path)) return path;
    for (const left of this.#leftByEnded()) if (take(left, path)) break;
    return path;
  }

  /** Drafts of new conversations whose process has ended, the newest first. */
  #leftByEnded(): string[] {
    const prefix = `${this.#name}-new-`;
    const names = existsSync(this.#folder) ? readdirSync(this.#folder) : [];
    return names
      .filter((name) => name.startsWith(prefix) && name.endsWith('.draft'))
      .flatMap((name) => {
        const path = join(this.#folder, name);
        const at = statSync(path, { throwIfNoEntry: false })?.mtimeMs;
        const pid = Number.parseInt(name.slice(prefix.length), 10);
        return at === undefined || (isRunning(pid) && at > startOfMachine()) ? [] : [{ path, at }];
      })
      .sort((left, right) => right.at - left.at)
      .map(({ path }) => path);
  }
}

/** Returns false if another chat has taken it. */
function take(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw error;
  }
}

/** Processes that began earlier have ended, whoever has their id now. */
function startOfMachine(): number {
  return Date.now() - uptime() * 1_000;
}
