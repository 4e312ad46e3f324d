import { createHash, randomUUID } from 'node:crypto';
import { chmod, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isInside } from '@longhaul/core/host-paths';
import { LonghaulError } from '@longhaul/protocol';
import { isPlainObject } from '../config-layer.ts';
import type { Environment } from '../environment.ts';
import { folderEntries } from '../folder-entries.ts';
import { userFolder } from '../user-folder.ts';

/** What is trusted: settings of a project's file, or other files of a workspace, such as its skills. */
export type TrustKind = 'settings' | 'files';

/** What was trusted in one workspace. */
export interface TrustEntry {
  /** Real path of the folder with the project's file, or of the workspace with the other files. */
  workspace: string;
  /** Ids of the trusted wants. */
  wants: string[];
  /** ISO date. */
  trustedAt: string;
}

/**
 * Trust in workspaces: one file for each workspace and kind, in the folder `trust` of the user's configuration, which
 * only the owner can read. Files are replaced atomically, so several processes can write at the same time; the last one
 * counts.
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
  async get(workspace: string, kind: TrustKind = 'settings'): Promise<TrustEntry | undefined> {
    const path = this.#pathOf(workspace, kind);
    try {
      const entry = await readEntry(path);
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

  async put(workspace: string, wants: readonly string[], kind: TrustKind = 'settings'): Promise<void> {
    await mkdir(this.#folder, { recursive: true, mode: 0o700 });
    await chmod(this.#folder, 0o700);
    const path = this.#pathOf(workspace, kind);
    const entry: TrustEntry = { workspace, wants: [...wants], trustedAt: new Date().toISOString() };
    const next = `${path}.${randomUUID()}`;
    try {
      await writeFile(next, `${JSON.stringify(entry, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      await rename(next, path);
    } finally {
      await rm(next, { force: true });
    }
  }

  /** Removes the trust in a workspace and in the files of all folders below it. Returns whether it was trusted. */
  async remove(workspace: string): Promise<boolean> {
    const paths = [this.#pathOf(workspace, 'settings'), ...(await this.#filesBelow(workspace))];
    const removed = await Promise.all(paths.map(removeFile));
    return removed.includes(true);
  }

  async #filesBelow(workspace: string): Promise<string[]> {
    const names = (await folderEntries(this.#folder)).map(({ name }) => name);
    const paths = names
      .filter((name) => name.endsWith(ENDINGS.files))
      .map((name) => join(this.#folder, name));
    // An entry that cannot be read trusts nothing.
    const entries = await Promise.all(paths.map((path) => readEntry(path).catch(() => undefined)));
    return paths.filter((_, index) => {
      const entry = entries[index];
      return entry !== undefined && isInside(entry.workspace, workspace);
    });
  }

  #pathOf(workspace: string, kind: TrustKind): string {
    const hash = createHash('sha256').update(workspace).digest('hex').slice(0, 32);
    return join(this.#folder, `${hash}${ENDINGS[kind]}`);
  }
}

const ENDINGS: Readonly<Record<TrustKind, string>> = { settings: '.json', files: '.files.json' };

async function readEntry(path: string): Promise<TrustEntry> {
  const entry: unknown = JSON.parse(await readFile(path, 'utf8'));
  if (!isEntry(entry)) throw new TypeError('It is not an entry of trust.');
  return entry;
}

/** Returns whether there was one. */
async function removeFile(path: string): Promise<boolean> {
  try {
    await rm(path);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
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
