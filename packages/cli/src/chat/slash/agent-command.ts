import { LonghaulError, suggestion } from '@longhaul/protocol';
import type { SlashCommand, SlashContext } from './slash-command.ts';

export const AGENT_COMMAND: SlashCommand = {
  name: 'agent',
  hint: '[NAME]',
  description: 'choose the agent: its prompt, model and tools',
  values: async ({ client }) =>
    (await client.agents()).agents.map(({ name, description }) => ({
      value: name,
      label: name,
      description,
    })),
  async run(words, context) {
    const { agents } = await context.client.agents();
    const name = words === '' ? await pickAgent(agents, context) : words;
    if (name === undefined) return;
    requireAgent(name, agents);
    await useAgent(name, context);
  },
};

type Agents = Awaited<ReturnType<SlashContext['client']['agents']>>['agents'];

/** @throws {LonghaulError} `unknown_agent` */
export function requireAgent(name: string, agents: Agents): void {
  const names = agents.map((agent) => agent.name);
  if (names.includes(name)) return;
  throw new LonghaulError(
    'unknown_agent',
    `There is no agent "${name}".${suggestion(name, names)} Known: ${names.join(', ')}.`,
  );
}

async function pickAgent(
  agents: Agents,
  { conversation, surface }: SlashContext,
): Promise<string | undefined> {
  const current = agents.findIndex(({ name, isDefault }) =>
    conversation.agent === undefined ? isDefault : name === conversation.agent,
  );
  return await surface.pick({
    title: 'Choose an agent. longhaul.yml defines more.',
    findsInDescriptions: true,
    items: agents.map(({ name, description }) => ({
      value: name,
      label: name,
      ...(description !== undefined && { description }),
    })),
    selected: Math.max(0, current),
  });
}

async function useAgent(name: string, { client, conversation, print }: SlashContext): Promise<void> {
  if (conversation.id !== undefined)
    await client.sessions.update(conversation.id, { metadata: { agent: name } });
  conversation.agent = name;
  print(`The agent is ${name} from the next message on.\n`);
}
