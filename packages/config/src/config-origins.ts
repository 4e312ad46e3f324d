import { type ConfigPath, isPlainObject, pathText } from './config-layer.ts';
import { referencedVariable } from './environment.ts';

/** What can say how things are, the one that wins first; `file` is one that was named in the place of the project's. */
export type ConfigSource = 'flag' | 'api' | 'file' | 'project' | 'user';

/** Where a value comes from that is not the default. */
export interface ConfigOrigin {
  from: ConfigSource;
  /** Of the file. */
  path?: string;
  /** The variable of the environment that the file names in the value's place. */
  variable?: string;
}

/** By the value's place, such as `limits.steps`. A list is one value. */
export type ConfigOrigins = Readonly<Record<string, ConfigOrigin>>;

/** The shape of a layer, with the origin of each value in its place. A list, so that merging takes it whole. */
type OriginLeaf = readonly [ConfigOrigin];

/**
 * The layer with origins in the place of its values, to be merged as layers are.
 *
 * @param written What stood there before the environment was filled in.
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

/** The origins of a merged tree, by place. */
export function originsIn(tree: unknown, path: ConfigPath = []): ConfigOrigins {
  if (isLeaf(tree)) return { [pathText(path)]: tree[0] };
  if (!isPlainObject(tree)) return {};
  return Object.assign({}, ...Object.entries(tree).map(([key, below]) => originsIn(below, [...path, key])));
}

function isLeaf(tree: unknown): tree is OriginLeaf {
  return Array.isArray(tree);
}
