import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { folderEntries } from '../folder-entries.ts';
import { readUserFile } from '../read-user-file.ts';
import type { ReadProjectFile } from '../trust/project-files.ts';
import { userFolder } from '../user-folder.ts';
import type { WorkspacePlace } from '../workspace-place.ts';

/** A file that may be a command. */
export interface FoundCommand {
  name: string;
  origin: 'project' | 'user';
  /** Absolute. */
  path: string;
  /** The file, as it is now. */
  file: ReadProjectFile;
}

const NAME = /^[a-z][\w-]*$/i;
const MAX_COMMANDS = 200;
const MAX_BYTES = 1_000_000;

/**
 * Reads the commands of the workspace, at most 200. A file behind a link that leads out of the workspace has a problem
 * instead of bytes.
 */
export async function findProjectCommands({ workspace, claude }: WorkspacePlace): Promise<FoundCommand[]> {
  const named = await filesIn(projectFolders({ workspace, claude }));
  if (named.length === 0) return [];
  const { readProjectFile } = await import('../trust/project-files.ts');
  const root = await realpath(workspace);
  return await Promise.all(
    named.map(async ({ name, path }): Promise<FoundCommand> => {
      return { name, path, origin: 'project', file: await readProjectFile(path, root) };
    }),
  );
}

/** Whether a workspace has files that may be commands. Reads no file, and loads nothing. */
export async function hasProjectCommands(
  place: Pick<WorkspacePlace, 'workspace' | 'claude'>,
): Promise<boolean> {
  return (await filesIn(projectFolders(place))).length > 0;
}

/** Reads the user's own commands, at most 200. */
export async function findUserCommands({ home, env }: WorkspacePlace): Promise<FoundCommand[]> {
  const named = await filesIn([join(userFolder({ env, home }), 'commands')]);
  return await Promise.all(
    named.map(async ({ name, path }): Promise<FoundCommand> => {
      return { name, path, origin: 'user', file: await readUserFile(path, MAX_BYTES) };
    }),
  );
}

function projectFolders({ workspace, claude }: Pick<WorkspacePlace, 'workspace' | 'claude'>): string[] {
  const folders = ['.longhaul/commands', ...(claude ? ['.claude/commands'] : [])];
  return folders.map((folder) => join(workspace, folder));
}

/** Of files with one name, the first folder's counts. Links are left out. */
async function filesIn(folders: readonly string[]): Promise<{ name: string; path: string }[]> {
  const found = new Map<string, string>();
  for (const folder of folders)
    for (const name of await namesIn(folder))
      if (!found.has(name)) found.set(name, join(folder, `${name}.md`));
  return [...found].map(([name, path]) => ({ name, path })).slice(0, MAX_COMMANDS);
}

async function namesIn(folder: string): Promise<string[]> {
  return (await folderEntries(folder))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => name.slice(0, -'.md'.length))
    .filter((name) => NAME.test(name))
    .sort();
}
