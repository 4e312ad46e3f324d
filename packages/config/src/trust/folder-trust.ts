import { realPathOf } from '@longhaul/core/host-paths';
import { findProjectCommands } from '../commands/find-commands.ts';
import { findProjectSkills } from '../skills/find-skills.ts';
import type { WorkspacePlace } from '../workspace-place.ts';
import type { ProjectTrust, TrustGrant } from './project-trust.ts';
import type { Want } from './wants.ts';

type OpenWant = Omit<Want, 'isTrusted'>;

/** More could not be read before an answer. */
const MAX_WANTS = 50;

/**
 * Adds what other files of a workspace than its `longhaul.yml` want: its skills and its commands. Returns undefined if
 * nothing wants anything.
 */
export async function addFolderWants(
  project: ProjectTrust | undefined,
  { grant, ...place }: WorkspacePlace & { grant: TrustGrant },
): Promise<ProjectTrust | undefined> {
  const root = realPathOf(place.workspace);
  const wants = await readFolderWants(place, root);
  if (wants.length === 0) return project;
  const { grantedIds } = await import('./project-trust.ts');
  const { workspace = root, file = workspace } = project ?? {};
  const { ids, problem } = await grantedIds(workspace, { ...place, grant, folder: root });
  const isTrusted = ({ id, refusal }: OpenWant) => refusal === undefined && (grant === 'all' || ids.has(id));
  return {
    workspace,
    file,
    wants: [...(project?.wants ?? []), ...wants.map((want) => ({ ...want, isTrusted: isTrusted(want) }))],
    problem,
  };
}

async function readFolderWants(place: WorkspacePlace, root: string): Promise<OpenWant[]> {
  const [skills, commands] = await Promise.all([findProjectSkills(place), findProjectCommands(place)]);
  if (skills.length + commands.length === 0) return [];
  const [{ skillWant }, { commandWant }] = await Promise.all([
    import('../skills/skill-wants.ts'),
    import('../commands/command-want.ts'),
  ]);
  return [
    ...limited(
      skills.map((skill) => skillWant(skill, root)),
      'skills',
    ),
    ...limited(
      commands.map((command) => commandWant(command, root)),
      'commands',
    ),
  ];
}

function limited(wants: readonly OpenWant[], kind: string): OpenWant[] {
  const refusal = `is too much to show: at most ${MAX_WANTS} ${kind} of a workspace can be trusted`;
  return wants.map((want, index) =>
    index < MAX_WANTS ? want : { ...want, refusal: want.refusal ?? refusal },
  );
}
