import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from '../config-layer.ts';
import type { Environment } from '../environment.ts';
import { userFolder } from '../user-folder.ts';

/** What was trusted in one workspace. */
export interface TrustEntry {
  /** Real path of the folder with the project's file. */
  workspace: string;
  /** Ids of the trusted wants. */
  wants: string[];
  /** ISO date. */
  trustedAt: string;
}

/**
 * Trust in workspaces: one file each, in the folder `trust` of the user's configuration, which only the owner can read.
 * Files are replaced atomically, so several processes can write at the same time; the last one counts.
 */
export class TrustStore {
  readonly #folder: string;

  constructor(user: { env: Environment; home: string }) {
    this.#folder = join(userFolder(user), 'trust');
  }

  /**
   * Returns the trust in a workspace, or undefined.
   *
   * @throws {LonghaulError} `file_unreadable`
   */
  async get(workspace: string): Promise<TrustEntry | undefined> {
    const path = this.#pathOf(workspace);
    try {
      const entry: unknown = JSON.parse(await readFile(path, 'utf8'));
      if (!isEntry(entry)) throw new TypeError('It is not an entry of trust.');
      return entry.workspace === workspace ? entry : undefined;
    } catch (cause) {
      if (codeOf(cause) === 'ENOENT' || codeOf(cause) === 'ENOTDIR') return undefined;
      throw new LonghaulError(
        'file_unreadable',
        `The file ${path}, which says whether ${workspace} is trusted, cannot be read. Make it readable, or delete it and run longhaul trust again.`,
        { cause },
      );
    }
  }

  async put(workspace: string, wants: readonly string[]): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const path = this.#pathOf(workspace);
    const entry: TrustEntry = { workspace, wants: [...wants], trustedAt: new Date().toISOString() };
    const next = `${path}.${randomUUID()}`;
    try {
      await writeFile(next, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(next, path);
    } finally {
      await rm(next, { force: true });
    }
  }

  /** Returns whether the workspace was trusted. */
  async remove(workspace: string): Promise<boolean> {
    try {
      await rm(this.#pathOf(workspace));
      return true;
    } catch (error) {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    }
  }

  #pathOf(workspace: string): string {
    return join(this.#folder, `${createHash('sha256').update(workspace).digest('hex').slice(0, 32)}.json`);
  }
}

function isEntry(value: unknown): value is TrustEntry {
  if (!isPlainObject(value) || !Array.isArray(value['wants'])) return false;
  const { workspace, wants, trustedAt } = value;
  return [workspace, trustedAt, ...wants].every((text) => typeof text === 'string');
}

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : undefined;
}
