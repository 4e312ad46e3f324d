import { realpath } from 'node:fs/promises';
import { join } from 'node:path';
import { folderEntries } from '../folder-entries.ts';
import { readUserFile } from '../read-user-file.ts';
import type { ReadProjectFile } from '../trust/project-files.ts';
import { userFolder } from '../user-folder.ts';
import type { WorkspacePlace } from '../workspace-place.ts';

/** A folder that may be a skill. */
export interface FoundSkill {
  /** Name of the folder. */
  name: string;
  origin: 'project' | 'user';
  /** Absolute. */
  folder: string;
  /** Its `SKILL.md`, as it is now. */
  file: ReadProjectFile;
}

const MAX_FOLDERS = 100;
const MAX_BYTES = 1_000_000;

/**
 * Reads the skills of the workspace. A folder or a file that is a link out of the workspace has a problem instead of
 * bytes. At most 100 folders of each place are looked at.
 */
export async function findProjectSkills({ workspace, claude }: WorkspacePlace): Promise<FoundSkill[]> {
  const named = await foldersIn(projectPlaces({ workspace, claude }));
  if (named.length === 0) return [];
  const { readProjectFile } = await import('../trust/project-files.ts');
  const root = await realpath(workspace);
  return await Promise.all(
    named.map(async ({ name, folder }): Promise<FoundSkill> => {
      const file = await readProjectFile(join(folder, 'SKILL.md'), root);
      return { name, folder, origin: 'project', file };
    }),
  );
}

/** Whether a workspace has folders that may be skills. Reads no file, and loads nothing. */
export async function hasProjectSkills(
  place: Pick<WorkspacePlace, 'workspace' | 'claude'>,
): Promise<boolean> {
  return (await foldersIn(projectPlaces(place))).length > 0;
}

function projectPlaces({ workspace, claude }: Pick<WorkspacePlace, 'workspace' | 'claude'>): string[] {
  const places = ['.longhaul/skills', '.agents/skills', ...(claude ? ['.claude/skills'] : [])];
  return places.map((place) => join(workspace, place));
}

/** Reads the user's own skills. Links are followed: the user has made them. */
export async function findUserSkills({ home, env, claude }: WorkspacePlace): Promise<FoundSkill[]> {
  const places = [
    join(userFolder({ env, home }), 'skills'),
    join(home, '.agents/skills'),
    ...(claude ? [join(home, '.claude/skills')] : []),
  ];
  return await Promise.all(
    (await foldersIn(places)).map(async ({ name, folder }): Promise<FoundSkill> => {
      return { name, folder, origin: 'user', file: await readUserFile(join(folder, 'SKILL.md'), MAX_BYTES) };
    }),
  );
}

/** Of folders with one name, the first one's place counts. Folders without a `SKILL.md` are not skills. */
async function foldersIn(places: readonly string[]): Promise<{ name: string; folder: string }[]> {
  const found = new Map<string, string>();
  for (const place of places)
    for (const name of await namesIn(place)) if (!found.has(name)) found.set(name, join(place, name));
  return [...found].map(([name, folder]) => ({ name, folder }));
}

async function namesIn(place: string): Promise<string[]> {
  return (await folderEntries(place))
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_FOLDERS);
}
