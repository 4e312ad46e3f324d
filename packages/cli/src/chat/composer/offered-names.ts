import type { LonghaulClient } from '@longhaul/client';
import type { McpOffers } from '@longhaul/protocol/api';
import { type NamedPrompt, promptNames, resourceNames } from '../../mcp/offer-names.ts';

const NOTHING: McpOffers = { prompts: [], resources: [] };

/** The prompts and resources of MCP servers that can be typed. They are asked for each time that a name is begun. */
export class OfferedNames {
  readonly #client: Pick<LonghaulClient, 'mcp'>;
  #known: { sessionId: string; offers: Promise<McpOffers> } | undefined;

  constructor(client: Pick<LonghaulClient, 'mcp'>) {
    this.#client = client;
  }

  /** @param typed The slash or the at sign, and what follows it. */
  async prompts(typed: string, sessionId: string | undefined): Promise<NamedPrompt[]> {
    const word = typed.slice(1).toLowerCase();
    const names = promptNames(await this.#offers(typed, sessionId));
    return names.filter(({ name }) => name.toLowerCase().startsWith(word));
  }

  async resources(typed: string, sessionId: string | undefined): Promise<string[]> {
    const word = typed.slice(1).toLowerCase();
    const names = resourceNames(await this.#offers(typed, sessionId));
    return word === '' ? [] : names.filter((name) => name.toLowerCase().includes(word));
  }

  #offers(typed: string, sessionId: string | undefined): Promise<McpOffers> {
    if (sessionId === undefined) return Promise.resolve(NOTHING);
    if (typed.length > 1 && this.#known?.sessionId === sessionId) return this.#known.offers;
    // Names can be typed without being completed. An older server does not know the request.
    const offers = this.#client.mcp.offers(sessionId).catch(() => NOTHING);
    this.#known = { sessionId, offers };
    return offers;
  }
}
