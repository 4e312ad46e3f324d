import { join } from 'node:path';
import { filesByName, type NamedFile, readNamedProjectFiles, readNamedUserFiles } from '../files-by-name.ts';
import { folderEntries } from '../folder-entries.ts';
import type { ReadProjectFile } from '../trust/project-files.ts';
import { userFolder } from '../user-folder.ts';
import type { WorkspacePlace } from '../workspace-place.ts';

/** A file that may be a command. */
export interface FoundCommand extends NamedFile {
  origin: 'project' | 'user';
  /** The file, as it is now. */
  file: ReadProjectFile;
}

const NAME = /^[a-z][\w-]*$/i;
const MAX_COMMANDS = 200;

/** Reads the commands of the workspace, at most 200. */
export async function findProjectCommands({ workspace, claude }: WorkspacePlace): Promise<FoundCommand[]> {
  return await readNamedProjectFiles(await filesOf(projectFolders({ workspace, claude })), workspace);
}

/** Whether a workspace has files that may be commands. Reads no file, and loads nothing. */
export async function hasProjectCommands(
  place: Pick<WorkspacePlace, 'workspace' | 'claude'>,
): Promise<boolean> {
  return (await filesOf(projectFolders(place))).length > 0;
}

/** Reads the user's own commands, at most 200. */
export async function findUserCommands({ home, env }: WorkspacePlace): Promise<FoundCommand[]> {
  return await readNamedUserFiles(await filesOf([join(userFolder({ env, home }), 'commands')]));
}

function projectFolders({ workspace, claude }: Pick<WorkspacePlace, 'workspace' | 'claude'>): string[] {
  const folders = ['.longhaul/commands', ...(claude ? ['.claude/commands'] : [])];
  return folders.map((folder) => join(workspace, folder));
}

async function filesOf(folders: readonly string[]): Promise<NamedFile[]> {
  return (await filesByName(folders, filesIn)).slice(0, MAX_COMMANDS);
}

/** Links are left out. */
async function filesIn(folder: string): Promise<NamedFile[]> {
  return (await folderEntries(folder))
    .filter((entry) => entry.isFile() && entry.name.endsWith('.md'))
    .map(({ name }) => ({ name: name.slice(0, -'.md'.length), path: join(folder, name) }))
    .filter(({ name }) => NAME.test(name))
    .sort((left, right) => (left.name < right.name ? -1 : 1));
}
