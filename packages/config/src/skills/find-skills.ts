import { join } from 'node:path';
import { filesByName, type NamedFile, readNamedProjectFiles, readNamedUserFiles } from '../files-by-name.ts';
import { folderEntries } from '../folder-entries.ts';
import type { ReadProjectFile } from '../trust/project-files.ts';
import { userFolder } from '../user-folder.ts';
import type { WorkspacePlace } from '../workspace-place.ts';

/** A folder that may be a skill. */
interface SkillFolder extends NamedFile {
  /** Absolute. Its last name is the name of the skill. */
  folder: string;
}

/** A folder that may be a skill, and its `SKILL.md`. */
export interface FoundSkill extends SkillFolder {
  origin: 'project' | 'user';
  /** Its `SKILL.md`, as it is now. */
  file: ReadProjectFile;
}

const MAX_FOLDERS = 100;

/** Reads the skills of the workspace. At most 100 folders of each place are looked at. */
export async function findProjectSkills({ workspace, claude }: WorkspacePlace): Promise<FoundSkill[]> {
  return await readNamedProjectFiles(await skillsOf(projectPlaces({ workspace, claude })), workspace);
}

/** Whether a workspace has folders that may be skills. Reads no file, and loads nothing. */
export async function hasProjectSkills(
  place: Pick<WorkspacePlace, 'workspace' | 'claude'>,
): Promise<boolean> {
  return (await skillsOf(projectPlaces(place))).length > 0;
}

function projectPlaces({ workspace, claude }: Pick<WorkspacePlace, 'workspace' | 'claude'>): string[] {
  const places = ['.longhaul/skills', '.agents/skills', ...(claude ? ['.claude/skills'] : [])];
  return places.map((place) => join(workspace, place));
}

/** Reads the user's own skills. */
export async function findUserSkills({ home, env, claude }: WorkspacePlace): Promise<FoundSkill[]> {
  const places = [
    join(userFolder({ env, home }), 'skills'),
    join(home, '.agents/skills'),
    ...(claude ? [join(home, '.claude/skills')] : []),
  ];
  return await readNamedUserFiles(await skillsOf(places));
}

async function skillsOf(places: readonly string[]): Promise<SkillFolder[]> {
  return await filesByName(places, skillsIn);
}

async function skillsIn(place: string): Promise<SkillFolder[]> {
  return (await folderEntries(place))
    .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
    .map(({ name }) => name)
    .sort()
    .slice(0, MAX_FOLDERS)
    .map((name) => ({ name, folder: join(place, name), path: join(place, name, 'SKILL.md') }));
}
