import { expect, it } from 'vitest';
import { SlashCommands } from './all-commands.ts';
import type { SlashContext } from './slash-command.ts';

const AGENTS = [
  { name: 'coder', isDefault: true },
  { name: 'reviewer', description: 'reads only', isDefault: false },
];

/** Types a text before the first message. Returns the agent of the next session, and what was printed. */
async function typed(text: string, picked?: string) {
  let printed = '';
  const conversation = { id: undefined, agent: undefined };
  const context = {
    client: { agents: async () => ({ agents: AGENTS }) },
    conversation,
    surface: { pick: async () => picked },
    print: (more: string) => {
      printed += more;
    },
  };
  await new SlashCommands().run(text, context as unknown as SlashContext);
  return { agent: conversation.agent, printed };
}

it('uses the named or the picked agent', async () => {
  expect((await typed('/agent reviewer')).agent).toBe('reviewer');
  expect((await typed('/agent', 'reviewer')).agent).toBe('reviewer');
  expect((await typed('/agent')).agent).toBeUndefined();
});

it('refuses an agent that does not exist, before the first message too', async () => {
  await expect(typed('/agent reviwer')).rejects.toMatchObject({
    code: 'unknown_agent',
    message: 'There is no agent "reviwer". Did you mean "reviewer"? Known: coder, reviewer.',
  });
});
