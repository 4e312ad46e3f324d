import { realpath } from 'node:fs/promises';
import { join, relative } from 'node:path';
import type { Skill, SkillSource, SkillText } from '@longhaul/core';
import { readInside } from '../read-inside.ts';
import { unreadable } from '../read-regular-file.ts';
import { NOT_TRUSTED } from '../trust/not-trusted.ts';
import type { WorkspacePlace } from '../workspace-place.ts';
import { type FoundSkill, findProjectSkills, findUserSkills } from './find-skills.ts';
import type { LoadedSkills, SkillProblem } from './loaded-skills.ts';
import { parseSkill } from './parse-skill.ts';
import { skillWant } from './skill-wants.ts';

export interface FoundSkills {
  project: readonly FoundSkill[];
  own: readonly FoundSkill[];
}

const MAX_FILE_BYTES = 1_000_000;

/**
 * Keeps the usable and trusted skills. Of skills with one name, the first counts, and those of the project come first.
 */
export async function createSkillSet(
  found: FoundSkills,
  place: WorkspacePlace,
  trusted: ReadonlySet<string>,
): Promise<LoadedSkills> {
  const { project, own } = found;
  const root = project.length === 0 ? place.workspace : await realpath(place.workspace);
  const skills = new Map<string, Skill>();
  const problems: SkillProblem[] = [];
  for (const found of [...project, ...own]) {
    if (skills.has(found.name)) continue;
    const parsed = parsedOf(found, root, trusted);
    if ('problem' in parsed)
      problems.push({ name: found.name, folder: found.folder, problem: parsed.problem });
    else skills.set(found.name, shown(found, parsed.description, root));
  }
  return { problems, source: createSource({ skills, place, trusted, root }) };
}

function parsedOf(found: FoundSkill, root: string, trusted: ReadonlySet<string>) {
  const { file, name, origin } = found;
  if ('problem' in file) return file;
  const parsed = parseSkill(file.bytes, name);
  if ('problem' in parsed) return { problem: `SKILL.md ${parsed.problem}` };
  const isTrusted = origin === 'user' || trusted.has(skillWant(found, root).id);
  return isTrusted ? parsed : { problem: NOT_TRUSTED };
}

function shown({ name, origin, folder }: FoundSkill, description: string, root: string): Skill {
  return { name, description, origin, folder: origin === 'project' ? relative(root, folder) : folder };
}

interface SourceOptions {
  skills: ReadonlyMap<string, Skill>;
  place: WorkspacePlace;
  trusted: ReadonlySet<string>;
  root: string;
}

function createSource({ skills, place, trusted, root }: SourceOptions): SkillSource {
  return {
    skills: [...skills.values()],
    async read(name, file) {
      const skill = skills.get(name);
      if (skill === undefined)
        return {
          problem: `There is no skill ${JSON.stringify(name.slice(0, 100))}. There are: ${[...skills.keys()].join(', ')}.`,
        };
      if (file !== undefined) return await readFile(skill, file, root);
      const again = skill.origin === 'project' ? findProjectSkills(place) : findUserSkills(place);
      const found = (await again).find((each) => each.name === name);
      if (found === undefined) return { problem: `The skill ${name} was deleted.` };
      const parsed = parsedOf(found, root, trusted);
      return 'problem' in parsed
        ? { problem: `The skill ${name} cannot be read: it ${parsed.problem}.` }
        : { text: parsed.body };
    },
  };
}

/** A file behind a link that leads out of the skill's folder is refused. */
async function readFile({ folder, origin }: Skill, file: string, root: string): Promise<SkillText> {
  try {
    const base = await realpath(origin === 'project' ? join(root, folder) : folder);
    const read = await readInside(join(base, file), base, MAX_FILE_BYTES);
    if ('problem' in read) return { problem: `${file} ${read.problem.replace('project', 'skill')}.` };
    return { text: new TextDecoder().decode(read.bytes) };
  } catch (error) {
    return { problem: `${file} of the skill ${unreadable(error, MAX_FILE_BYTES)}.` };
  }
}
