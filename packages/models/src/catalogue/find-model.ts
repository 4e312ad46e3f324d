import type { CatalogueEntry } from './catalogue-entry.ts';
import { CHECKED_MODELS } from './checked-models.ts';
import { listedModels } from './listed-models.ts';

/**
 * Returns a model's entry, by its name with or without a date or release suffix (`claude-sonnet-4-5-20250929`,
 * `gpt-5.1-2025-11-13`, `gemini-2.0-flash-001`, `…-latest`). The longest matching name wins. Another version is another
 * model: `claude-opus-5` does not match `claude-opus-5-5`.
 */
export function findModel(provider: string, model: string): CatalogueEntry | undefined {
  return longestMatch(checkedOf(provider), model) ?? longestMatch(listedOf(provider), model);
}

/** Returns the providers that need no address, and have this model. */
export function findProvidersOf(model: string): string[] {
  // The public list is read only for a name that nobody checked.
  const checked = OWN_CLIENTS.filter((provider) => longestMatch(checkedOf(provider), model) !== undefined);
  return checked.length > 0 ? checked : OWN_CLIENTS.filter((provider) => findModel(provider, model));
}

/** Returns every model of these providers as `provider/model`. */
export function catalogueNames(): string[] {
  return OWN_CLIENTS.flatMap(entriesOf).map(({ provider, model }) => `${provider}/${model}`);
}

/** Returns all models, by provider. */
export function catalogueModels(): CatalogueEntry[] {
  const providers = new Set([...OWN_CLIENTS, ...Object.keys(listedModels().models)]);
  return [...providers].flatMap(entriesOf);
}

const OWN_CLIENTS = ['anthropic', 'openai', 'google'] as const;

function entriesOf(provider: string): CatalogueEntry[] {
  const entries = new Map(listedOf(provider).map((entry) => [entry.model, entry]));
  for (const entry of checkedOf(provider)) {
    entries.set(entry.model, { reasoning: entries.get(entry.model)?.reasoning, ...entry });
  }
  return [...entries.values()];
}

function checkedOf(provider: string): CatalogueEntry[] {
  return CHECKED_MODELS.filter((entry) => entry.provider === provider);
}

/** Returns the models of a provider in the public list. */
export function listedOf(provider: string): CatalogueEntry[] {
  const { models } = listedModels();
  const listed = Object.hasOwn(models, provider) ? models[provider] : undefined;
  return Object.entries(listed ?? {}).map(([model, facts]) => ({ provider, model, ...facts }));
}

/** Returns the entry whose name is the longest one that matches. */
export function longestMatch<Entry extends { model: string }>(
  entries: readonly Entry[],
  model: string,
): Entry | undefined {
  let best: Entry | undefined;
  for (const entry of entries) {
    if (!isReleaseOf(model, entry.model)) continue;
    if (!best || entry.model.length > best.model.length) best = entry;
  }
  return best;
}

const RELEASE_SUFFIX = /^(?:[-@](?:\d{8}|\d{4}-\d{2}-\d{2}|\d{3}|latest))?$/;

function isReleaseOf(model: string, name: string): boolean {
  return model.startsWith(name) && RELEASE_SUFFIX.test(model.slice(name.length));
}
