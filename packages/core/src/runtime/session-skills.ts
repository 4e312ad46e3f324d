import type { Session } from '@longhaul/protocol';
import type { SkillSource } from '../ports/index.ts';
import type { RunAgent, RuntimeOptions } from './runtime-options.ts';

export interface AgentWithSkills {
  agent: RunAgent;
  /** Absent: there are none, or the agent uses none. */
  skills?: SkillSource;
}

/** Adds the tool that reads skills to the agent of a session with skills. */
export async function withSkills(
  agent: RunAgent,
  session: Session,
  { skillsFor }: Pick<RuntimeOptions, 'skillsFor'>,
): Promise<AgentWithSkills> {
  const found = agent.usesSkills === false ? undefined : await skillsFor?.(session);
  if (found === undefined || found.source.skills.length === 0) return { agent };
  return { agent: { ...agent, tools: [...agent.tools, found.tool] }, skills: found.source };
}
