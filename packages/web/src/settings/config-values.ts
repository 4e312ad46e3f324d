import type { ShownConfig } from '@longhaul/protocol/api';

/** A value of the configuration, with where it comes from. */
export interface ConfigValue {
  path: string;
  /** As JSON. Lists are one value. */
  value: string;
  origin: string;
  isDefault: boolean;
}

type Origins = ShownConfig['origins'];

/** All values of the configuration, in the order of their paths. */
export function configValues({
  config,
  origins,
}: Pick<ShownConfig, 'config' | 'origins'>): readonly ConfigValue[] {
  return leavesOf(config, '')
    .map(({ path, value }) => {
      const origin = originOf(path, origins);
      return {
        path,
        value: JSON.stringify(value),
        origin: describeOrigin(origin),
        isDefault: origin === undefined,
      };
    })
    .sort((a, b) => a.path.localeCompare(b.path, 'en'));
}

/** The values with all these words in their path, value or origin. */
export function searchValues(values: readonly ConfigValue[], query: string): readonly ConfigValue[] {
  const words = query.toLowerCase().split(/\s+/);
  return values.filter(({ path, value, origin }) => {
    const text = `${path} ${value} ${origin}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/**
 * Where a value comes from, or undefined if it is the default. An object can come from one place, as a whole or key by
 * key.
 */
export function originOf(path: string, origins: Origins): Origins[string] | undefined {
  const exact = Object.hasOwn(origins, path) ? origins[path] : undefined;
  if (exact !== undefined) return exact;
  const above = Object.keys(origins)
    .filter((key) => path.startsWith(key) && /^[.[]/.test(path.slice(key.length)))
    .sort((a, b) => b.length - a.length)[0];
  const found = above ?? Object.keys(origins).find((key) => key.startsWith(`${path}.`));
  return found === undefined ? undefined : origins[found];
}

/** Such as `this page`, `flag --port` or `longhaul.yml of the user`. */
export function describeOrigin(origin: Origins[string] | undefined): string {
  if (origin === undefined) return 'default';
  const { from, path, variable } = origin;
  const place = path === undefined ? (PLACES[from] ?? from) : `${PLACES[from] ?? from}: ${path}`;
  return variable === undefined ? place : `${place}, from the variable ${variable}`;
}

const PLACES: Readonly<Record<string, string>> = {
  flag: 'flag of the command',
  api: 'set here, or over the API',
  file: 'configuration file of the command',
  project: 'project',
  user: 'user',
};

function leavesOf(value: unknown, path: string): readonly { path: string; value: unknown }[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [{ path, value }];
  const entries = Object.entries(value);
  if (entries.length === 0) return path === '' ? [] : [{ path, value }];
  return entries.flatMap(([key, below]) => leavesOf(below, pathWith(path, key)));
}

/** The path as the server writes it. */
function pathWith(path: string, key: string): string {
  const plain = /^[\w-]+$/.test(key);
  const shown = plain ? key : `"${key.replaceAll(/["\\]/g, '\\$&')}"`;
  return path === '' ? shown : `${path}.${shown}`;
}
