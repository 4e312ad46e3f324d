import type { LoadedCommands } from '@longhaul/config';
import { unusableCommands } from '../../compose/own-commands.ts';
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
    ...unusableCommands(problems),
  ];
}
