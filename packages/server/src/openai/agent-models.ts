import type { NamedAgent, NamedAgents } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';

const PREFIX = 'agent/';

/** Returns the model id of an agent. */
export const modelIdOf = ({ name }: Pick<NamedAgent, 'name'>): string => PREFIX + name;

/**
 * Returns the agent with the given model id.
 *
 * @throws {LonghaulError} `model_not_found`
 */
export function agentOfModel(agents: Pick<NamedAgents, 'list' | 'get'>, model: string): NamedAgent {
  const known = agents.list();
  const agent = known.find((candidate) => modelIdOf(candidate) === model);
  if (agent !== undefined) return agent;
  const names = known.map(modelIdOf).join(', ');
  throw new LonghaulError(
    'model_not_found',
    `The model "${model.slice(0, 100)}" does not exist. Use one of these models: ${names}.`,
  );
}
