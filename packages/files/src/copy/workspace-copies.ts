import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { CopySource, WorkspaceCopies, WorkspaceCopy } from '@longhaul/core';
import { realPathOf } from '@longhaul/core/host-paths';
import { removeFolder } from '@longhaul/core/remove-folder';
import { LonghaulError } from '@longhaul/protocol';
import { isGone } from '../walk/open-folder.ts';
import { parseCopy } from './parse-copy.ts';

/** The files of a copy, recorded: its tree. */
export type RecordCopy = (workspace: string, tree: string) => Promise<string>;

export interface WorkspaceCopiesOptions {
  /** Contains a folder for each copy, and nothing else. Made if it is missing. */
  folder: string;
  /** Writes the files of a new copy. */
  write: (source: CopySource, folder: string) => Promise<Pick<WorkspaceCopy, 'shared' | 'left'>>;
  /** Writes the files of a tree. Returns those that could not be written. */
  restore: (tree: string, folder: string) => Promise<WorkspaceCopy['left']>;
  record: RecordCopy;
}

/** Is written last: a folder without it is no complete copy. */
const FACTS = 'copy.json';
/** A folder with this prefix is being removed. */
const REMOVED = '.removed-';
const DAY_MS = 24 * 60 * 60 * 1_000;

/** Keeps copies of workspaces in one folder. The files of the copy `ID` are in `ID/NAME`, like those of the original. */
export function createWorkspaceCopies({
  folder,
  write,
  restore,
  record,
}: WorkspaceCopiesOptions): WorkspaceCopies {
  const placeOf = (id: string) => join(folder, requireName(id));
  const find = (id: string) => findCopy(folder, id);
  const remove = async (id: string) => {
    const removed = join(folder, `${REMOVED}${randomUUID()}`);
    // A copy that is half removed must not look like a complete one.
    if (await renameIfThere(placeOf(id), removed)) await removeFolder(removed);
  };
  const complete = async (id: string, copy: WorkspaceCopy) => {
    const facts = join(placeOf(id), FACTS);
    await writeFile(`${facts}.new`, JSON.stringify(copy), { mode: 0o600 });
    await rename(`${facts}.new`, facts);
  };
  return {
    find,
    remove,
    async make(id, { workspace, tree }) {
      const known = await find(id);
      if (known !== undefined) return known;
      await remove(id);
      const original = realPathOf(workspace);
      const files = join(placeOf(id), basename(original) || 'files');
      await mkdir(files, { recursive: true, mode: 0o700 });
      const made = await write({ workspace: original, tree }, files);
      const place = randomUUID();
      const copy = { workspace: files, original, place, tree: await record(files, tree), ...made };
      await complete(id, copy);
      return copy;
    },
    async restore(id, known, tree) {
      const { workspace } = known;
      if (dirname(workspace) !== placeOf(id)) throw elsewhere(workspace, folder);
      await remove(id);
      await mkdir(placeOf(id), { recursive: true, mode: 0o700 });
      const left = await restore(tree, workspace);
      const copy = { ...known, place: randomUUID(), shared: [], left };
      await complete(id, copy);
      return copy;
    },
    async sweep(isNeeded, { now = Date.now } = {}) {
      const swept: string[] = [];
      for (const name of await namesIn(folder)) {
        const path = join(folder, name);
        if (name.startsWith(REMOVED)) await removeFolder(path);
        else if ((await madeAt(path)) < now() - DAY_MS && !(await isNeeded(name))) {
          await remove(name);
          swept.push(name);
        }
      }
      return swept;
    },
  };
}

/** Returns the complete copy with an id. Reads no file of it. */
export async function findCopy(folder: string, id: string): Promise<WorkspaceCopy | undefined> {
  return parseCopy(await readIfThere(join(folder, requireName(id), FACTS)));
}

/** What the store says must not make this machine replace another folder. */
function elsewhere(workspace: string, folder: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `A child session works in ${workspace}, and this machine keeps such folders in ${folder}. Run the servers of all machines with a home folder of the same path.`,
  );
}

/** An id names a folder. */
function requireName(id: string): string {
  if (/^[\w-]+$/.test(id)) return id;
  throw new LonghaulError(
    'invalid_request',
    `${JSON.stringify(id.slice(0, 80))} cannot name a copy: use letters, digits and hyphens.`,
  );
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder);
  } catch (error) {
    if (isGone(error)) return [];
    throw error;
  }
}

/** Infinity: it is gone. */
async function madeAt(path: string): Promise<number> {
  try {
    return (await stat(path)).mtimeMs;
  } catch (error) {
    if (isGone(error)) return Number.POSITIVE_INFINITY;
    throw error;
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function renameIfThere(from: string, to: string): Promise<boolean> {
  try {
    await rename(from, to);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
