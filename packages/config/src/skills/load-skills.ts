import type { WorkspacePlace } from '../workspace-place.ts';
import { findProjectSkills, findUserSkills } from './find-skills.ts';
import type { LoadedSkills } from './loaded-skills.ts';

const NONE: LoadedSkills = {
  problems: [],
  source: { skills: [], read: async () => ({ problem: 'There are no skills.' }) },
};

/**
 * Loads the skills of a workspace that are trusted, and the user's own. A skill of the workspace replaces the user's
 * skill with its name.
 *
 * @param trusted Returns the ids of what is trusted in the workspace. Called if it has skills.
 */
export async function loadSkills(
  place: WorkspacePlace,
  trusted: () => Promise<ReadonlySet<string>>,
): Promise<LoadedSkills> {
  const [project, own] = await Promise.all([findProjectSkills(place), findUserSkills(place)]);
  if (project.length + own.length === 0) return NONE;
  const { createSkillSet } = await import('./skill-set.ts');
  return await createSkillSet({ project, own }, place, project.length === 0 ? new Set() : await trusted());
}
