import type { LonghaulClient } from '@longhaul/client';
import type { LocalParts } from '../connection/connection.ts';
import type { SlashCommands } from '../slash/all-commands.ts';
import type { SlashContext } from '../slash/slash-command.ts';
import { Completions } from './completions.ts';
import { OfferedNames } from './offered-names.ts';
import { PathIndex } from './path-index.ts';

export interface ChatCompletionsOptions {
  slash: SlashCommands;
  slashContext: () => SlashContext;
  client: LonghaulClient;
  local: LocalParts | undefined;
}

/** Completes the commands of a chat, what its MCP servers offer, and the paths of its folder if that is on this machine. */
export function chatCompletions({ slash, slashContext, client, local }: ChatCompletionsOptions): Completions {
  const index = local === undefined ? undefined : new PathIndex(local.workspace);
  const names = new OfferedNames(client);
  return new Completions({
    commands: () =>
      slash.all.map(({ name, hint = '', description, values }) => ({
        name,
        hint,
        description,
        ...(values !== undefined && { values: () => values(slashContext()) }),
      })),
    prompts: (typed) => names.prompts(typed, slashContext().conversation.id),
    resources: (typed) => names.resources(typed, slashContext().conversation.id),
    paths: async (words, signal) => (await index?.find(words, signal)) ?? [],
  });
}
