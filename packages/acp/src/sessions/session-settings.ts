import type { SessionConfigOption, SessionModeState } from '@agentclientprotocol/sdk';
import { LonghaulError, type Session, toLonghaulError } from '@longhaul/protocol';
import type { AcpWorkspace } from '../acp-options.ts';

const MODEL_OPTION = 'model';
export const AGENT_OPTION = 'agent';

type Settings = Pick<Session, 'model' | 'metadata'>;
type Place = Pick<AcpWorkspace, 'models' | 'agents'>;

/** Returns the name of the session's agent. */
function agentOf({ metadata }: Pick<Session, 'metadata'>, { agents }: Pick<Place, 'agents'>): string {
  const name = metadata?.['agent'];
  return typeof name === 'string' ? name : (agents.list()[0]?.name ?? '');
}

/** Returns the modes of a session: its agents. */
export function modesOf(session: Settings, place: Place): SessionModeState {
  return {
    currentModeId: agentOf(session, place),
    availableModes: agentNames(session, place).map((name) => ({ id: name, name })),
  };
}

/** Returns what a person can select for a session. Clients with selectors show these in place of the modes. */
export async function configOptionsOf(session: Settings, place: Place): Promise<SessionConfigOption[]> {
  const models = await place.models.list();
  const names = [...new Set([session.model, ...models.map(({ name }) => name)])];
  return [
    {
      type: 'select',
      id: MODEL_OPTION,
      name: 'Model',
      category: 'model',
      currentValue: session.model,
      options: names.map((name) => ({ value: name, name })),
    },
    {
      type: 'select',
      id: AGENT_OPTION,
      name: 'Agent',
      category: 'mode',
      currentValue: agentOf(session, place),
      options: agentNames(session, place).map((name) => ({ value: name, name })),
    },
  ];
}

/** The session's own agent is listed even if it is no longer configured: clients need the current value in the list. */
function agentNames(session: Settings, { agents }: Pick<Place, 'agents'>): string[] {
  return [...new Set([...agents.list().map(({ name }) => name), agentOf(session, { agents })])];
}

/**
 * Returns the changed settings of a session. Choosing an agent that has a model of its own also selects that model.
 *
 * @throws {LonghaulError} `unknown_agent`, `unknown_model`, `key_missing`, `invalid_request` for an unknown option.
 */
export async function changed(
  option: string,
  value: string,
  { models, agents }: Place,
): Promise<{ model?: string; agent?: string }> {
  if (option === MODEL_OPTION) return { model: await usable(value, models) };
  if (option !== AGENT_OPTION) {
    throw new LonghaulError(
      'invalid_request',
      `There is no option "${option.slice(0, 100)}". The options are: ${MODEL_OPTION}, ${AGENT_OPTION}.`,
    );
  }
  const agent = agents.list().find(({ name }) => name === value);
  if (agent === undefined) {
    const names = agents.list().map(({ name }) => name);
    throw new LonghaulError(
      'unknown_agent',
      `There is no agent "${value.slice(0, 100)}". The agents are: ${names.join(', ')}.`,
    );
  }
  return {
    agent: agent.name,
    ...(agent.model !== undefined && { model: await models.resolve(agent.model) }),
  };
}

/** A model that no prompt could use is refused now. A server that cannot be reached may be started later. */
async function usable(name: string, models: Place['models']): Promise<string> {
  const model = await models.resolve(name);
  await models.prepare(model).catch((error: unknown) => {
    if (!toLonghaulError(error).retryable) throw error;
  });
  return model;
}
