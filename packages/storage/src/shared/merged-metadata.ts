import type { JsonObject } from '@longhaul/protocol';

/** Returns the metadata with the keys of a patch. `null` removes a key. */
export function mergedMetadata(known: JsonObject = {}, patch: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries({ ...known, ...patch }).filter(([, value]) => value !== null));
}
