import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { visibleLine } from '@longhaul/protocol';
import { stateLines } from '../../mcp/server-lines.ts';
import { ownRuntime } from '../../own-runtime.ts';
import { skillLines } from '../../render/skill-lines.ts';
import { version } from '../../version.ts';
import { INIT_PROMPT } from './init-prompt.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';
import { writeNewFile } from './write-new-file.ts';

export const PROJECT_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'init',
    description: 'let the agent look at the project and write AGENTS.md',
    run: async (words, { send }) => await send(words === '' ? INIT_PROMPT : `${INIT_PROMPT}\n\n${words}`),
  },
  {
    name: 'skills',
    description: 'the skills that the agent can read, and folders that cannot be used as skills',
    run: skills,
  },
  {
    name: 'mcp',
    description: 'the MCP servers, their state and their tools',
    run: mcp,
  },
  {
    name: 'bug',
    description: 'write a file for a bug report, without secrets',
    run: bug,
  },
];

async function skills(_words: string, { client, conversation, print }: SlashContext): Promise<void> {
  const { workspace } = conversation;
  const list = await client.skills.list(workspace === '' ? {} : { workspace });
  print(`${skillLines(list).map(visibleLine).join('\n')}\n`);
}

async function mcp(_words: string, { client, conversation, print }: SlashContext): Promise<void> {
  const { id } = conversation;
  const list = await client.mcp.list(id === undefined ? {} : { sessionId: id });
  print(
    `${stateLines(list)
      .map((line) => `  ${visibleLine(line)}`)
      .join('\n')}\n`,
  );
}

async function bug(
  _words: string,
  { client, conversation, terminal, log, print }: SlashContext,
): Promise<void> {
  const { env } = terminal;
  const facts = {
    version: await version(),
    runtime: ownRuntime(),
    platform: `${process.platform} ${process.arch}`,
    terminal: {
      TERM: env['TERM'],
      TERM_PROGRAM: env['TERM_PROGRAM'],
      TMUX: env['TMUX'] !== undefined,
      LANG: env['LANG'],
    },
    model: conversation.model,
    log: log(),
    // The server masks keys that it knows in all that it sends.
    context: await conversation.context(),
    events: conversation.recentEvents,
    settings: await client.settings.get(),
  };
  const path = join(tmpdir(), `longhaul-bug-${Date.now()}.json`);
  await writeNewFile(path, facts);
  print(
    `Written to ${path}: version, terminal, settings, and the last events without texts. It contains no messages and no keys. Read it before you send it.\n`,
  );
}
