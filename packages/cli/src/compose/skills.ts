import { type Config, type LoadedSkills, loadSkills } from '@longhaul/config';
import type { SessionSkills } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { WorkspaceSkills } from '@longhaul/protocol/api';
import { createSkillTool } from '@longhaul/tools';
import type { Terminal } from '../terminal.ts';
import { homeOf } from './load-settings.ts';
import { trustedIds } from './trusted-ids.ts';

type User = Pick<Terminal, 'env'>;

/** Reads the skills of a session when a run starts. */
export function sessionSkills(config: () => Config, user: User) {
  return {
    async skillsFor({ workspace }: Session): Promise<SessionSkills> {
      const { source } = await skillsOf(workspace, config(), user);
      return { source, tool: createSkillTool(source) };
    },
  };
}

/** Returns the skills of a workspace, and why other folders are none, for clients. */
export async function shownSkills(workspace: string, config: Config, user: User): Promise<WorkspaceSkills> {
  const { source, problems } = await skillsOf(workspace, config, user);
  return {
    skills: source.skills.map((skill) => ({ ...skill })),
    problems: problems.map((each) => ({ ...each })),
  };
}

async function skillsOf(workspace: string, config: Config, { env }: User): Promise<LoadedSkills> {
  const place = { workspace, home: homeOf({ env }), env, claude: config.compat.claude };
  return await loadSkills(place, () => trustedIds(workspace, config, { env }));
}
