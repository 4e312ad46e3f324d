import { type ConfigPath, isPlainObject, pathText } from './config-layer.ts';
import { referencedVariable } from './environment.ts';

/**
 * The sources of settings in order of precedence, highest first. `file` is a named file that replaces the project's.
 */
export type ConfigSource = 'flag' | 'api' | 'file' | 'project' | 'user';

/** The origin of a value that is not the default. */
export interface ConfigOrigin {
  from: ConfigSource;
  /** Path of the file. */
  path?: string;
  /** The environment variable that the file names in place of the value. */
  variable?: string;
}

/** Origins by the path of the value, such as `limits.steps`. A list is one value. */
export type ConfigOrigins = Readonly<Record<string, ConfigOrigin>>;

/** The origin in place of a value. A list, because merging replaces lists as a whole. */
type OriginLeaf = readonly [ConfigOrigin];

/**
 * Returns the layer with origins in place of its values, for merging like the layers themselves.
 *
 * @param written The layer before variables were replaced.
 */
export function originTree(layer: unknown, origin: ConfigOrigin, written: unknown = layer): unknown {
  if (layer === undefined) return undefined;
  if (!isPlainObject(layer)) {
    const variable = referencedVariable(written);
    const leaf: OriginLeaf = [variable === undefined ? origin : { ...origin, variable }];
    return leaf;
  }
  const below = isPlainObject(written) ? written : {};
  const entries = Object.entries(layer).map(([key, value]) => {
    const before = Object.hasOwn(below, key) ? below[key] : undefined;
    return [key, originTree(value, origin, before)] as const;
  });
  return Object.fromEntries(entries);
}

/** Returns the origins of a merged tree, by path. */
export function originsIn(tree: unknown, path: ConfigPath = []): ConfigOrigins {
  if (isLeaf(tree)) return { [pathText(path)]: tree[0] };
  if (!isPlainObject(tree)) return {};
  return Object.assign({}, ...Object.entries(tree).map(([key, below]) => originsIn(below, [...path, key])));
}

function isLeaf(tree: unknown): tree is OriginLeaf {
  return Array.isArray(tree);
}
