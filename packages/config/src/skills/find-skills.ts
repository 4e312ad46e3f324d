import { readdir, realpath } from 'node:fs/promises';
import { join } from 'node:path';
import type { Environment } from '../environment.ts';
import { readRegularFile } from '../read-regular-file.ts';
import type { ReadProjectFile } from '../trust/project-files.ts';
import { userFolder } from '../user-folder.ts';

export interface SkillPlace {
  /** Absolute. */
  workspace: string;
  home: string;
  env: Environment;
  /** Whether the skills of Claude Code are read too. */
  claude: boolean;
}

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
/** There is no such folder, or it is not for this user. */
const UNREADABLE: ReadonlySet<string> = new Set(['ENOENT', 'ENOTDIR', 'EACCES', 'EPERM', 'ELOOP']);

/**
 * Reads the skills of the workspace. A folder or a file that is a link out of the workspace has a problem instead of
 * bytes. At most 100 folders of each place are looked at.
 */
export async function findProjectSkills({ workspace, claude }: SkillPlace): Promise<FoundSkill[]> {
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
export async function hasProjectSkills(place: Pick<SkillPlace, 'workspace' | 'claude'>): Promise<boolean> {
  return (await foldersIn(projectPlaces(place))).length > 0;
}

function projectPlaces({ workspace, claude }: Pick<SkillPlace, 'workspace' | 'claude'>): string[] {
  const places = ['.longhaul/skills', '.agents/skills', ...(claude ? ['.claude/skills'] : [])];
  return places.map((place) => join(workspace, place));
}

/** Reads the user's own skills. Links are followed: the user has made them. */
export async function findUserSkills({ home, env, claude }: SkillPlace): Promise<FoundSkill[]> {
  const places = [
    join(userFolder({ env, home }), 'skills'),
    join(home, '.agents/skills'),
    ...(claude ? [join(home, '.claude/skills')] : []),
  ];
  return await Promise.all(
    (await foldersIn(places)).map(async ({ name, folder }): Promise<FoundSkill> => {
      return { name, folder, origin: 'user', file: await readOwn(join(folder, 'SKILL.md')) };
    }),
  );
}

/** Of folders with one name, the first one's place counts. Folders without a `SKILL.md` are no skills. */
async function foldersIn(places: readonly string[]): Promise<{ name: string; folder: string }[]> {
  const found = new Map<string, string>();
  for (const place of places)
    for (const name of await namesIn(place)) if (!found.has(name)) found.set(name, join(place, name));
  return [...found].map(([name, folder]) => ({ name, folder }));
}

async function namesIn(place: string): Promise<string[]> {
  try {
    const entries = await readdir(place, { withFileTypes: true });
    return entries
      .filter((entry) => (entry.isDirectory() || entry.isSymbolicLink()) && !entry.name.startsWith('.'))
      .map(({ name }) => name)
      .sort()
      .slice(0, MAX_FOLDERS);
  } catch (error) {
    if (error instanceof Error && 'code' in error && UNREADABLE.has(String(error.code))) return [];
    throw error;
  }
}

async function readOwn(path: string): Promise<ReadProjectFile> {
  try {
    const { bytes } = await readRegularFile(path, MAX_BYTES);
    return { path, bytes, sha256: '' };
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unreadable';
    return { problem: `cannot be read (${code})` };
  }
}
