import { parseTreeReference, treeReference } from '@longhaul/protocol';
import { addSession, type NamedBlobs } from './named-blobs.ts';

/** Reads recorded trees of files, which are stored in blobs (packs). `@longhaul/files` implements it. */
export interface TreePacks {
  /** Returns the blobs that trees need, and the trees that could not be read to the end. */
  packsOf(references: Iterable<string>): Promise<{ packs: ReadonlySet<string>; broken: readonly string[] }>;
  /** Reads a whole tree. Returns what cannot be restored. The path of the tree itself is empty. */
  checkTree(reference: string): Promise<{ problems: { path: string; reason: string }[] }>;
  /** Whether a blob is a pack. */
  isPack(id: string): Promise<boolean>;
}

export interface NeededBlobs {
  /** Blobs by id, each with the sessions that need it (`''`: no session). */
  blobs: Map<string, Set<string>>;
  /** Recorded trees that could not be read. It is unknown which packs they need. */
  broken: Set<string>;
}

/** Adds the packs of the named trees to the named blobs. */
export async function neededBlobs({ blobs, trees }: NamedBlobs, packs: TreePacks): Promise<NeededBlobs> {
  const needed: NeededBlobs = { blobs: new Map(blobs), broken: new Set() };
  const bySession = new Map<string, string[]>();
  for (const [id, { sessions }] of trees) {
    for (const session of sessions) {
      const references = bySession.get(session) ?? [];
      references.push(treeReference(id));
      bySession.set(session, references);
    }
  }
  for (const [session, references] of bySession) {
    const found = await packs.packsOf(references);
    for (const id of found.packs) addSession(needed.blobs, id, session);
    for (const reference of found.broken) {
      const id = parseTreeReference(reference) ?? '';
      if (trees.get(id)?.isRecord) needed.broken.add(id);
    }
  }
  return needed;
}
