import type { BlobStore } from '@longhaul/core';
import { type Part, parseTreeReference, treeReference } from '@longhaul/protocol';
import type { TreePacks } from '../src/maintenance/index.ts';

/** Reads packs that are texts: `pack`, and the ids of the packs that it needs. */
export function textPacks(blobs: BlobStore): TreePacks {
  const isPack = async (id: string) =>
    (await blobs.stat(id)) !== undefined && (await textOf(blobs, id)).startsWith('pack');
  return {
    isPack,
    async packsOf(references) {
      const packs = new Set<string>();
      const broken: string[] = [];
      for (const reference of references) {
        const id = parseTreeReference(reference) ?? '';
        packs.add(id);
        if (!(await isPack(id))) broken.push(reference);
        else for (const [needed] of (await textOf(blobs, id)).matchAll(/[0-9a-f]{64}/g)) packs.add(needed);
      }
      return { packs, broken };
    },
    checkTree: async () => ({ problems: [] }),
  };
}

async function textOf(blobs: BlobStore, id: string): Promise<string> {
  return new TextDecoder().decode(await blobs.get(id));
}

/** Returns the record of a change after which the workspace is as in the tree. */
export function patchTo(tree: string): Part {
  return { type: 'patch', after: treeReference(tree), files: [], byAgent: true };
}
