import type { SearchHit, SearchOptions } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import { phraseScore } from '../../shared/phrase-score.ts';
import { isSoundRow } from '../../shared/row-checksum.ts';
import { parseTerms, plainTextOf, snippetOf, wordsOf } from '../../shared/search-text.ts';
import { type Db, rowsOf } from '../connection.ts';
import { LACKS_PLACES, LACKS_WORDS, searchQuery } from '../search-vector.ts';
import { readRevertedSpans } from './live-path.ts';

type HitRow = {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  type: string;
  state: string | null;
  body: string;
  checksum: number | null;
  /** The vector lacks something that the query needs, so the text must be checked. */
  isUnsure: boolean;
};

/** Searches closed parts in PostgreSQL's full-text index. */
export async function searchParts(
  db: Db,
  query: string,
  { sessionId, limit, includeReverted }: Required<Omit<SearchOptions, 'sessionId'>> & SearchOptions,
): Promise<SearchHit[]> {
  const phrases = parseTerms(query)
    .map(wordsOf)
    .filter((words) => words.length > 0);
  if (phrases.length === 0) return [];
  const reverted = includeReverted ? [] : await readRevertedSpans(db, sessionId);
  const hits: SearchHit[] = [];
  for (let offset = 0; hits.length < limit; offset += limit) {
    const rows = await readHits(db, { match: searchQuery(phrases), sessionId, limit, offset, reverted });
    for (const row of rows) {
      const part = readablePart(row);
      if (row.isUnsure && (part === undefined || phraseScore(part, phrases) === 0)) continue;
      const { sessionId: of, messageId, sequence, partIndex } = row;
      // A damaged row is a hit without a snippet. `loadLog` reports it.
      const text = part === undefined ? '' : (plainTextOf(part) ?? '');
      hits.push({ sessionId: of, messageId, sequence, partIndex, snippet: snippetOf(text, query) });
    }
    if (rows.length < limit) break;
  }
  return hits.slice(0, limit);
}

async function readHits(
  db: Db,
  options: {
    match: string;
    sessionId: string | undefined;
    limit: number;
    offset: number;
    reverted: readonly { sessionId: string; first: number; last: number }[];
  },
): Promise<readonly HitRow[]> {
  const { match, sessionId, limit, offset, reverted } = options;
  const spans = JSON.stringify(
    reverted.map(({ sessionId: id, first, last }) => ({ id, first, last: Math.min(last, 2 ** 31 - 1) })),
  );
  const isLive = sql` AND NOT EXISTS (SELECT FROM json_to_recordset(${spans}::text::json) AS span(id text, first int, last int)
    WHERE span.id = parts.session_id AND parts.sequence BETWEEN span.first AND span.last)`;
  return rowsOf<HitRow>(
    db,
    sql`
    SELECT parts.session_id AS "sessionId", message_id AS "messageId", sequence, part_index AS "partIndex", type, state, body, checksum,
      search @@ ${`'${LACKS_PLACES}' | '${LACKS_WORDS}'`}::text::tsquery AS "isUnsure"
    FROM parts JOIN heads ON heads.session_id = parts.session_id
    WHERE search @@ ${match}::text::tsquery${sessionId === undefined ? sql`` : sql` AND parts.session_id = ${sessionId}`}${reverted.length === 0 ? sql`` : isLive}
    ORDER BY ts_rank(search, ${match}::text::tsquery, 1) DESC, parts.session_id DESC, sequence DESC, part_index DESC
    LIMIT ${limit} OFFSET ${offset}`,
  );
}

function readablePart(row: HitRow): Part | undefined {
  if (!isSoundRow('parts', { ...row, index: row.partIndex })) return undefined;
  try {
    return JSON.parse(row.body);
  } catch {
    return undefined;
  }
}
