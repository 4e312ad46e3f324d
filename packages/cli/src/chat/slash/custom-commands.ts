import type { LoadedCommands } from '@longhaul/config';
import { LonghaulError } from '@longhaul/protocol';
import { problemText } from '../../compose/own-commands.ts';
import type { SlashCommand } from './slash-command.ts';

/** Returns the commands that a person wrote. Those that cannot be used only say why. */
export function customCommands({ commands, problems }: LoadedCommands): SlashCommand[] {
  return [
    ...commands.map(
      ({ name, hint, description, expand }): SlashCommand => ({
        name,
        hint,
        description,
        run: async (words, { send }) => await send(expand(words)),
      }),
    ),
    ...problems.map(
      (problem): SlashCommand => ({
        name: problem.name,
        description: problem.problem,
        isUnusable: true,
        async run() {
          throw new LonghaulError('usage', problemText(problem));
        },
      }),
    ),
  ];
}
