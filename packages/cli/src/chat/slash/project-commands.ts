import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fitLine } from '../../render/format.ts';
import { version } from '../../version.ts';
import { INIT_PROMPT } from './init-prompt.ts';
import type { SlashCommand, SlashContext } from './slash-command.ts';

export const PROJECT_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'init',
    description: 'let the agent look at the project and write AGENTS.md',
    run: async (words, { send }) => await send(words === '' ? INIT_PROMPT : `${INIT_PROMPT}\n\n${words}`),
  },
  {
    name: 'permissions',
    description: 'what you allowed and refused in this session',
    async run(_words, { client, conversation, print, columns }) {
      const { approvals } = await client.approvals.list(conversation.requireId());
      if (approvals.length === 0)
        return print(
          'No call needed your approval in this session. Rules are in longhaul.yml, under approvals.\n',
        );
      const lines = approvals.map(({ handle, toolName, args, answer, reason }) => {
        const why = reason === undefined ? '' : ` (${reason})`;
        return fitLine(`${handle}  ${answer ?? 'open'}  ${toolName} ${JSON.stringify(args)}${why}`, columns);
      });
      print(`${lines.join('\n')}\nRules are in longhaul.yml, under approvals.\n`);
    },
  },
  {
    name: 'bug',
    description: 'write a file for a bug report, without secrets',
    run: bug,
  },
];

async function bug(
  _words: string,
  { client, conversation, terminal, log, print }: SlashContext,
): Promise<void> {
  const { env } = terminal;
  const facts = {
    version: await version(),
    node: process.version,
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
  await writeFile(path, `${JSON.stringify(facts, null, 2)}\n`, { flag: 'wx', mode: 0o600 });
  print(
    `Written to ${path}: version, terminal, settings, and the last events without texts. It contains no messages and no keys. Read it before you send it.\n`,
  );
}
