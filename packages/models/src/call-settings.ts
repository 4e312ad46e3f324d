import type { JsonObject } from '@longhaul/protocol';

/**
 * How requests to a model are made, as configured for its provider or for the model alone. The driver chooses what is
 * undefined, from the model and its server.
 */
export interface CallSettings {
  /** Whether prompts are cached where that must be requested, and read under a key of the session. Default true. */
  cache?: boolean;
}

/** What is sent to a provider's address besides the conversation. It belongs to that address, like the key. */
export interface RequestExtras {
  headers?: Readonly<Record<string, string>>;
  /** Fields that are merged into the JSON body of each request. `null` removes a field. */
  body?: JsonObject;
}
