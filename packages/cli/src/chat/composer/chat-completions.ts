import type { LocalParts } from '../connection/connection.ts';
import type { SlashCommands } from '../slash/all-commands.ts';
import type { SlashContext } from '../slash/slash-command.ts';
import { Completions } from './completions.ts';
import { PathIndex } from './path-index.ts';

export interface ChatCompletionsOptions {
  slash: SlashCommands;
  slashContext: () => SlashContext;
  local: LocalParts | undefined;
}

/** Completes the commands of a chat, and the paths of its folder if that is on this machine. */
export function chatCompletions({ slash, slashContext, local }: ChatCompletionsOptions): Completions {
  const index = local === undefined ? undefined : new PathIndex(local.workspace);
  return new Completions({
    commands: () =>
      slash.all.map(({ name, hint = '', description, values }) => ({
        name,
        hint,
        description,
        ...(values !== undefined && { values: () => values(slashContext()) }),
      })),
    paths: async (words, signal) => (await index?.find(words, signal)) ?? [],
  });
}
