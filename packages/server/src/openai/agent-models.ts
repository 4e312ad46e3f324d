import type { NamedAgent, NamedAgents } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';

const PREFIX = 'agent/';

/** The name under which an agent is offered as a model. */
export const modelIdOf = ({ name }: Pick<NamedAgent, 'name'>): string => PREFIX + name;

/**
 * The agent behind a model's name.
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
    `The model "${model.slice(0, 100)}" does not exist. This server has: ${names}.`,
  );
}
