import type { McpOffers } from '@longhaul/protocol/api';

/** What a person types for a prompt, without the slash, and what may follow it. */
export interface NamedPrompt {
  name: string;
  hint: string;
  description: string;
}

export function promptNames({ prompts }: McpOffers): NamedPrompt[] {
  return prompts.map(({ server, name, description, arguments: declared }) => ({
    name: `${server}:${name}`,
    hint: declared.map((each) => (each.isRequired ? `${each.name}=…` : `[${each.name}=…]`)).join(' '),
    description,
  }));
}

/** What a person types for each resource, without the at sign. */
export function resourceNames({ resources }: McpOffers): string[] {
  return resources.map(({ server, uri }) => `${server}:${uri}`);
}
