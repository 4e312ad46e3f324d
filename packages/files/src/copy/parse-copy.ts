import type { WorkspaceCopy } from '@longhaul/core';
import { isObject, parseTreeReference } from '@longhaul/protocol';

/** Reads the facts of a copy. Undefined: there are none, or they are damaged. */
export function parseCopy(text: string | undefined): WorkspaceCopy | undefined {
  if (text === undefined) return undefined;
  const facts = parseJson(text);
  if (!isObject(facts)) return undefined;
  const { workspace, original, place, tree, shared, left } = facts;
  if (typeof workspace !== 'string' || typeof original !== 'string') return undefined;
  if (typeof place !== 'string') return undefined;
  if (typeof tree !== 'string' || parseTreeReference(tree) === undefined) return undefined;
  const folders = textsOf(shared, ['from', 'to', 'inode']);
  const files = textsOf(left, ['path', 'reason']);
  return folders && files && { workspace, original, place, tree, shared: folders, left: files };
}

/** Undefined: it is not a list of objects with these texts. */
function textsOf<Key extends string>(list: unknown, keys: readonly Key[]): Record<Key, string>[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const found: Record<string, string>[] = [];
  for (const entry of list) {
    if (!isObject(entry)) return undefined;
    const texts: Record<string, string> = {};
    for (const key of keys) {
      const value = entry[key];
      if (typeof value !== 'string') return undefined;
      texts[key] = value;
    }
    found.push(texts);
  }
  return found as Record<Key, string>[];
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The folder counts as incomplete, and the copy is made again.
    return undefined;
  }
}
