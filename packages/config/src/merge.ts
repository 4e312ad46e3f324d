import { isPlainObject } from './config-layer.ts';

/** Merges mappings key by key. Other values, also lists, replace those below. Undefined replaces nothing. */
export function merge(lower: unknown, higher: unknown): unknown {
  if (higher === undefined) return lower;
  if (!isPlainObject(lower) || !isPlainObject(higher)) return higher;
  const keys = new Set([...Object.keys(lower), ...Object.keys(higher)]);
  const own = (object: Record<string, unknown>, key: string) =>
    Object.hasOwn(object, key) ? object[key] : undefined;
  return Object.fromEntries([...keys].map((key) => [key, merge(own(lower, key), own(higher, key))]));
}
