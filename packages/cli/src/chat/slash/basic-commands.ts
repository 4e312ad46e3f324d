import type { SlashCommand } from './slash-command.ts';
import { THEME_COMMAND } from './theme-command.ts';

export const BASIC_COMMANDS: readonly SlashCommand[] = [
  {
    name: 'reasoning',
    description: 'show the reasoning of the model in full, or folded',
    async run(_words, { options, print }) {
      options.showsReasoning = !options.showsReasoning;
      print(
        options.showsReasoning ? 'Reasoning is shown in full.\n' : 'Reasoning is folded: Ctrl-O opens it.\n',
      );
    },
  },
  THEME_COMMAND,
  {
    name: 'exit',
    aliases: ['quit'],
    description: 'leave; the session is kept',
    run: async (_words, { leave }) => leave(),
  },
];
