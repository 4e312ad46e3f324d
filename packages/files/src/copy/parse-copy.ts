import type { WorkspaceCopy } from '@longhaul/core';
import { isObject, parseTreeReference } from '@longhaul/protocol';

/** Reads the facts of a copy. Undefined: there are none, or they are damaged. */
export function parseCopy(text: string | undefined): WorkspaceCopy | undefined {
  if (text === undefined) return undefined;
  const facts = parseJson(text);
  if (!isObject(facts)) return undefined;
  const { workspace, original, tree, shared, left } = facts;
  if (typeof workspace !== 'string' || typeof original !== 'string') return undefined;
  if (typeof tree !== 'string' || parseTreeReference(tree) === undefined) return undefined;
  const folders = pairsOf(shared, ['from', 'to']);
  const files = pairsOf(left, ['path', 'reason']);
  return folders && files && { workspace, original, tree, shared: folders, left: files };
}

/** Undefined: it is not a list of objects with two texts. */
function pairsOf<Key extends string>(
  list: unknown,
  [a, b]: readonly [Key, Key],
): Record<Key, string>[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const pairs = list.flatMap((entry: unknown) => {
    if (!isObject(entry) || typeof entry[a] !== 'string' || typeof entry[b] !== 'string') return [];
    return [{ [a]: entry[a], [b]: entry[b] } as Record<Key, string>];
  });
  return pairs.length === list.length ? pairs : undefined;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    // The folder counts as incomplete, and the copy is made again.
    return undefined;
  }
}
