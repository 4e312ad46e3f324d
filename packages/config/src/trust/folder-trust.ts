import { realPathOf } from '@longhaul/core/host-paths';
import { findProjectSkills, type SkillPlace } from '../skills/find-skills.ts';
import type { ProjectTrust, TrustGrant } from './project-trust.ts';
import type { Want } from './wants.ts';

/** More could not be read before an answer. */
const MAX_WANTS = 50;
const TOO_MANY = `is too much to show: at most ${MAX_WANTS} such files of a workspace can be trusted`;

/**
 * Adds what other files of a workspace than its `longhaul.yml` want, such as its skills. Returns undefined if nothing wants
 * anything.
 */
export async function addFolderWants(
  project: ProjectTrust | undefined,
  { grant, ...place }: SkillPlace & { grant: TrustGrant },
): Promise<ProjectTrust | undefined> {
  const found = await findProjectSkills(place);
  if (found.length === 0) return project;
  const [{ skillWant }, { grantedIds }] = await Promise.all([
    import('../skills/skill-wants.ts'),
    import('./project-trust.ts'),
  ]);
  const root = realPathOf(place.workspace);
  const wants = found.map((skill) => skillWant(skill, root)).map(limited);
  const { workspace = root, file = workspace } = project ?? {};
  const { ids, problem } = await grantedIds(workspace, { ...place, grant });
  const isTrusted = ({ id, refusal }: Omit<Want, 'isTrusted'>) =>
    refusal === undefined && (grant === 'all' || ids.has(id));
  return {
    workspace,
    file,
    wants: [...(project?.wants ?? []), ...wants.map((want) => ({ ...want, isTrusted: isTrusted(want) }))],
    problem,
  };
}

function limited(want: Omit<Want, 'isTrusted'>, index: number): Omit<Want, 'isTrusted'> {
  return index < MAX_WANTS ? want : { ...want, refusal: want.refusal ?? TOO_MANY };
}
