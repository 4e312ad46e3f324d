import type { LeaseOwner } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { type BlobCheck, checkBlobs } from '../blobs/check-blobs.ts';
import { unpackText } from '../shared/packed-text.ts';
import { examineTrees, type RecordedFiles } from './examine-trees.ts';
import { blobsIn, namedBlobs } from './named-blobs.ts';
import { numberOf, openToRead } from './open-file.ts';
import type { StoragePlace } from './place.ts';
import { sessionFacts } from './session-facts.ts';
import type { TreePacks } from './tree-packs.ts';

export interface Contents {
  sessions: number;
  /** Sessions whose run is dead but was not closed: it still holds the lease or left parts open. */
  interrupted: { id: string; title: string; openParts: number }[];
  /** Sessions of which a killed program left a part: an import, a copy or a deletion. They are not visible. */
  unfinished: number;
  blobs: BlobCheck & {
    named: number;
    /** The places of missing and damaged blobs: session, part, blob. */
    places: string[];
  };
  files: RecordedFiles;
}

/**
 * Counts the sessions and blobs of a sound database and checks that its blobs and recorded files exist. Changes
 * nothing.
 *
 * @param options `compareBlobs`: the maximum number of blobs whose content is compared with their hash. With `packs`, all
 * recorded files are read; without, only their existence is checked.
 */
export async function examineContents(
  place: StoragePlace,
  options: {
    isAlive: (owner: LeaseOwner) => boolean;
    now?: () => number;
    compareBlobs: number;
    packs?: TreePacks | undefined;
  },
): Promise<Contents> {
  const { isAlive, now = Date.now, compareBlobs, packs } = options;
  const database = openToRead(place.path);
  try {
    const sessions = sessionFacts(database, { isAlive, now });
    const open = openParts(database);
    const interrupted = sessions
      .filter(({ id, isLive, isLeased }) => !isLive && (isLeased || open.has(id)))
      .map(({ id, title }) => ({ id, title, openParts: open.get(id) ?? 0 }));
    const named = namedBlobs(database);
    const names = named.blobs;
    const check = await checkBlobs(place.blobs, names.keys(), { compare: compareBlobs });
    const bad = [...check.missing, ...check.damaged];
    const inParts = placesOfParts(database, bad);
    const inSessions = (id: string) =>
      [...(names.get(id) ?? [])].map((session) => `session ${session}, ${shortName(id)}`);
    return {
      sessions: sessions.length,
      interrupted,
      unfinished: numberOf(
        database,
        'SELECT count(*) FROM sessions WHERE id NOT IN (SELECT session_id FROM heads)',
      ),
      blobs: {
        ...check,
        named: names.size,
        // The sessions, if no part references the blob.
        places: bad.flatMap((id) => (inParts.get(id)?.length ? inParts.get(id) : inSessions(id)) ?? []),
      },
      files: await examineTrees(database, named, { blobs: place.blobs, packs }),
    };
  } finally {
    database.close();
  }
}

/** Names the parts that reference these blobs. Reads each part once, because long parts must be unpacked. */
function placesOfParts(
  database: ReturnType<typeof openToRead>,
  ids: readonly string[],
): Map<string, string[]> {
  const places = new Map(ids.map((id): [string, string[]] => [id, []]));
  if (ids.length === 0) return places;
  const rows = database.prepare(
    `SELECT messages.session_id AS session, messages.sequence AS sequence, parts.part_index AS part, parts.body AS body
     FROM parts JOIN messages ON messages.id = parts.message_id
     WHERE typeof(parts.body) = 'blob' OR instr(parts.body, '@blob:') > 0`,
  );
  for (const { session, sequence, part, body } of rows.iterate()) {
    for (const id of blobsIn(unpackText(body)))
      places
        .get(id)
        ?.push(`session ${session}, ${handleOf(Number(sequence), Number(part))}, ${shortName(id)}`);
  }
  return places;
}

function shortName(id: string): string {
  return `blob ${id.slice(0, 12)}`;
}

function openParts(database: ReturnType<typeof openToRead>): Map<string, number> {
  const rows = database
    .prepare(
      `SELECT messages.session_id AS session, count(*) AS parts FROM parts JOIN messages ON messages.id = parts.message_id
       WHERE parts.state IN ('pending', 'running') GROUP BY messages.session_id`,
    )
    .all();
  return new Map(rows.map((row) => [String(row['session']), Number(row['parts'])]));
}
