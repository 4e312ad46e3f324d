import type { Config, NamedAgents } from '@longhaul/config';
import type { CompressionSettings, RunAgent, RuntimeOptions } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import { compressionSettings, strategyNamed } from './compression.ts';

/** What sessions of each agent have instead of the settings for all. */
export type AgentSettings = (session: Session) => Pick<RunAgent, 'compression' | 'limits' | 'summariser'>;

/**
 * Loads the strategies that agents name.
 *
 * @throws {LonghaulError} `config_invalid` if a strategy is a module that exports none.
 */
export async function agentSettings(
  agents: NamedAgents,
  { project }: Pick<Config, 'project'>,
): Promise<AgentSettings> {
  const loaded = new Map<string, CompressionSettings>();
  for (const { name, compression } of agents.list())
    if (compression !== undefined) loaded.set(name, await compressionSettings(compression, project?.files));
  return (session) => {
    const { name, limits, summariser } = agents.ofSession(session);
    const own = summariser === '__same__' ? session.model : summariser;
    return { compression: loaded.get(name), limits, summariser: own === 'none' ? null : own };
  };
}

/** Gives each session the agent that it names. */
export function agentOptions(agents: NamedAgents, settingsOf: AgentSettings) {
  return {
    tools: agents.get().tools,
    agentFor: (session) => ({ ...forKind(session, agents.of(session)), ...settingsOf(session) }),
  } satisfies Partial<RuntimeOptions>;
}

/** A child session writes to no other session: it reports to its parent. */
function forKind<Agent extends Pick<RunAgent, 'tools'>>({ parentId }: Session, agent: Agent): Agent {
  if (parentId === undefined) return agent;
  return { ...agent, tools: agent.tools.filter(({ name }) => name !== 'send') };
}

/** Returns strategies by their names, with the options of the session's agent. */
export function strategiesFor({ context, project }: Config, agents: NamedAgents) {
  return (name: string, session: Session) =>
    strategyNamed(agents.ofSession(session).compression ?? context.compression, name, project?.files);
}
