import { randomUUID } from 'node:crypto';
import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { FileTrees, MovingWorkspaces, SettledWorkspace, SettleRequest } from '@longhaul/core';
import { removeFolder } from '@longhaul/core/remove-folder';
import { LonghaulError, type WorkspaceSource } from '@longhaul/protocol';
import { type CloneOptions, cloneRepository } from '../git/clone-repository.ts';
import { isGone } from '../walk/open-folder.ts';

export interface MovingWorkspacesOptions extends CloneOptions {
  /** That of `WorkspaceCopies`: it contains a folder for each session, named by its id. */
  folder: string;
  /** The name of this machine. */
  machine: string;
  trees: Pick<FileTrees, 'materialise' | 'openRecorder'>;
}

/** Is written last: a folder without it is incomplete. */
const PLACE = 'place';

/** Makes the folders of sessions that move between machines. The files of session `ID` are in `ID/NAME`. */
export function createMovingWorkspaces(options: MovingWorkspacesOptions): MovingWorkspaces {
  const { folder, machine, trees } = options;
  return {
    folderOf: async (sessionId, source) => join(folder, sessionId, nameOf(source)),
    async record(workspace) {
      await using recorder = await trees.openRecorder(workspace, undefined);
      const recorded = await recorder.record();
      if (recorded === undefined)
        throw new LonghaulError('internal', `The files of ${workspace} were not recorded.`);
      return recorded.after;
    },
    async settle(request) {
      const own = requireOwn(request.session, folder);
      const known = await readIfThere(join(own, PLACE));
      if (known !== undefined && known === request.place && (await isFolder(request.session.workspace)))
        return { place: known, machine, isNew: false, left: [] };
      await removeFolder(own);
      await mkdir(own, { recursive: true, mode: 0o700 });
      const left = await write(request, options);
      const place = randomUUID();
      await writeFile(join(own, `${PLACE}.new`), place, { mode: 0o600 });
      await rename(join(own, `${PLACE}.new`), join(own, PLACE));
      return { place, machine, isNew: true, left };
    },
  };
}

/** Whether a workspace is the complete folder of a session that moves between machines. */
export async function isMovingWorkspace(folder: string, workspace: string): Promise<boolean> {
  const own = dirname(workspace);
  return dirname(own) === folder && (await readIfThere(join(own, PLACE))) !== undefined;
}

async function write(
  { session: { id, workspace }, source, tree, commit, signal }: SettleRequest,
  options: MovingWorkspacesOptions,
): Promise<SettledWorkspace['left']> {
  const isCheckedOut = tree === undefined;
  if (source.git === undefined) await mkdir(workspace, { mode: 0o700 });
  else await cloneRepository({ ...source.git, folder: workspace, id, commit, isCheckedOut, signal }, options);
  return tree === undefined ? [] : (await options.trees.materialise(tree, workspace)).skipped;
}

/**
 * Returns the folder that is replaced. What the store says must not make this machine delete another one.
 *
 * @throws {LonghaulError} `config_invalid`
 */
function requireOwn({ id, workspace }: SettleRequest['session'], folder: string): string {
  const own = dirname(workspace);
  if (/^[\w-]+$/.test(id) && own === join(folder, id) && basename(workspace) !== PLACE) return own;
  throw new LonghaulError(
    'config_invalid',
    `Session ${id} works in ${workspace}, and this machine keeps such folders in ${folder}. Run the servers of all machines with a home folder of the same path.`,
  );
}

/** The last word of the repository's address. It is shown to the model as a part of the path. */
function nameOf({ git }: WorkspaceSource): string {
  const word =
    git?.url
      .replace(/(?:\/|\.git)+$/, '')
      .split(/[/:]/)
      .at(-1) ?? '';
  return /^[\w][\w.-]{0,99}$/.test(word) && word !== PLACE ? word : 'files';
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (isGone(error)) return undefined;
    throw error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
