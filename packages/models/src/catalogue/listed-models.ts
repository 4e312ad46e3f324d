import { readFileSync } from 'node:fs';
import type { CatalogueEntry } from './catalogue-entry.ts';

/** A public list of models, as `scripts/catalogue.ts` writes it. */
export interface ListedModels {
  /** The package that contains the list, with its version. */
  source: string;
  /** When that version was published. */
  date: string;
  /** By provider, then by name. */
  models: Record<string, Record<string, ListedModel>>;
}

export type ListedModel = Omit<CatalogueEntry, 'provider' | 'model'>;

let read: ListedModels | undefined;

/** Returns the list. It is read at the first call only, because most commands do not need it. */
export function listedModels(): ListedModels {
  read ??= JSON.parse(readFileSync(new URL('./data/models.json', import.meta.url), 'utf8')) as ListedModels;
  return read;
}
