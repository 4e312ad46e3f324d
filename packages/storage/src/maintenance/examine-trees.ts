import type { DatabaseSync } from 'node:sqlite';
import { handleOf, parseJson, treeReference } from '@longhaul/protocol';
import { checkBlobs } from '../blobs/check-blobs.ts';
import { unpackText } from '../shared/packed-text.ts';
import type { NamedBlobs, NamedTree } from './named-blobs.ts';
import type { TreePacks } from './tree-packs.ts';

export interface RecordedFiles {
  /** Number of recorded states of workspaces. */
  trees: number;
  /** Number of blobs that they need. Absent: not all were read. */
  packs?: number;
  /** Where states are recorded that cannot be restored completely: session, part and reason. */
  places: string[];
}

/** More trees are named without their first file: to find it, a whole tree must be read. */
const MAX_READ_TREES = 20;

/**
 * Checks that the recorded trees exist. With `packs`, reads them and compares all that they need with its hash. Changes
 * nothing.
 */
export async function examineTrees(
  database: DatabaseSync,
  { trees }: NamedBlobs,
  { blobs, packs }: { blobs: string; packs: TreePacks | undefined },
): Promise<RecordedFiles> {
  const recorded = new Map([...trees].filter(([, { isRecord }]) => isRecord));
  const found: RecordedFiles = { trees: recorded.size, places: [] };
  const bad = new Map<string, string>();
  if (packs === undefined) {
    const { missing } = await checkBlobs(blobs, recorded.keys(), { compare: 0 });
    for (const id of missing) bad.set(id, `blob ${shortName(id)} is missing`);
  } else {
    const census = await packs.packsOf(referencesOf(recorded));
    found.packs = census.packs.size;
    const { missing, damaged } = await checkBlobs(blobs, census.packs);
    const lost = new Map<string, string>();
    for (const id of missing) lost.set(id, `blob ${shortName(id)} is missing`);
    for (const id of damaged) lost.set(id, `blob ${shortName(id)} is damaged`);
    if (lost.size + census.broken.length > 0) await findBad(recorded.keys(), { packs, lost, bad });
  }
  const places = placesOfTrees(database, bad);
  for (const [id, problem] of bad) {
    const sessions = [...(recorded.get(id)?.sessions ?? [])].map((session) => `session ${session}`);
    // A tree that no part names is that of a revert, or the newest one.
    for (const place of places.get(id) ?? sessions) found.places.push(`${place}: ${problem}`);
  }
  return found;
}

/** Finds the trees that need lost packs or cannot be read. */
async function findBad(
  ids: Iterable<string>,
  { packs, lost, bad }: { packs: TreePacks; lost: ReadonlyMap<string, string>; bad: Map<string, string> },
): Promise<void> {
  for (const id of ids) {
    const own = await packs.packsOf([treeReference(id)]);
    const pack = [...own.packs].find((each) => lost.has(each));
    if (pack === undefined && own.broken.length === 0) continue;
    const problem = lost.get(pack ?? '') ?? 'it cannot be read';
    const files = bad.size < MAX_READ_TREES ? await lostFiles(packs, id) : '';
    bad.set(id, `${problem}${files}`);
  }
}

async function lostFiles(packs: TreePacks, id: string): Promise<string> {
  const { problems } = await packs.checkTree(treeReference(id));
  const [first] = problems;
  // The lost pack is that of a former state to which the tree is a delta, or the tree's own.
  if (first === undefined || first.path === '') return '';
  const more = problems.length > 1 ? ` and ${problems.length - 1} more` : '';
  return `, with the content of ${first.path}${more}`;
}

function referencesOf(trees: ReadonlyMap<string, NamedTree>): string[] {
  return [...trees.keys()].map(treeReference);
}

function shortName(id: string): string {
  return id.slice(0, 12);
}

/** Returns the parts that record these trees as the state after a change. */
function placesOfTrees(database: DatabaseSync, ids: ReadonlyMap<string, string>): Map<string, string[]> {
  const places = new Map<string, string[]>();
  if (ids.size === 0) return places;
  const rows = database.prepare(
    `SELECT messages.session_id AS session, messages.sequence AS sequence, parts.part_index AS part, parts.body AS body
     FROM parts JOIN messages ON messages.id = parts.message_id WHERE parts.type = 'patch' ORDER BY parts.key`,
  );
  for (const { session, sequence, part, body } of rows.iterate()) {
    const after = Reflect.get(Object(parseJson(unpackText(body))), 'after');
    const id = typeof after === 'string' ? after.slice(treeReference('').length) : '';
    if (!ids.has(id)) continue;
    const place = `session ${session}, ${handleOf(Number(sequence), Number(part))}`;
    places.set(id, [...(places.get(id) ?? []), place]);
  }
  return places;
}
