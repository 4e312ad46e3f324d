import type { SearchHit, SearchOptions } from '@longhaul/core';
import type { Part } from '@longhaul/protocol';
import { sql } from 'drizzle-orm';
import { lazy } from '../shared/lazy.ts';
import { unpackText } from '../shared/packed-text.ts';
import { isSoundRow } from '../shared/row-checksum.ts';
import { parseTerms, plainTextOf, searchTextOf, snippetOf } from '../shared/search-text.ts';
import type { Drizzle } from './connection.ts';
import { readRevertedSpans } from './live-rows.ts';
import { partSearch } from './schema.ts';

interface HitRow {
  sessionId: string;
  messageId: string;
  sequence: number;
  partIndex: number;
  type: string;
  state: string | null;
  body: string | Uint8Array;
  checksum: number | null;
}

/** The full-text index of closed parts, in SQLite's FTS5. */
export function createPartSearch(db: Drizzle) {
  const insert = lazy(() => {
    const key = sql.placeholder('key');
    const text = sql.placeholder('text');
    const words = sql.placeholder('words');
    return db.insert(partSearch).values({ key, text, words }).prepare();
  });

  return {
    /** Does nothing for an open part or a part without searchable text. */
    add(key: number, part: Part): void {
      const text = searchTextOf(part);
      if (text !== undefined) insert().run({ key, ...text });
    },

    find(
      query: string,
      { sessionId, limit, includeReverted }: Required<Omit<SearchOptions, 'sessionId'>> & SearchOptions,
    ): SearchHit[] {
      const terms = parseTerms(query);
      if (terms.length === 0) return [];
      const match = terms.map((term) => `"${term.replaceAll('"', '""').replaceAll('\0', '')}"`).join(' ');
      const reverted = includeReverted ? [] : readRevertedSpans(db, sessionId);
      const spans = JSON.stringify(reverted.map((span) => [span.sessionId, span.first, span.last]));
      const isLive = sql` AND NOT EXISTS (SELECT 1 FROM json_each(${spans}) AS span
          WHERE span.value ->> 0 = messages.session_id AND messages.sequence BETWEEN span.value ->> 1 AND span.value ->> 2)`;
      const rows = db.all<HitRow>(sql`
        SELECT messages.session_id AS sessionId, messages.id AS messageId, messages.sequence AS sequence,
          parts.part_index AS partIndex, parts.type AS type, parts.state AS state, parts.body AS body,
          parts.checksum AS checksum
        FROM part_search
        JOIN parts ON parts.key = part_search.rowid
        JOIN messages ON messages.id = parts.message_id
        JOIN heads ON heads.session_id = messages.session_id
        WHERE part_search MATCH ${match}${sessionId === undefined ? sql`` : sql` AND messages.session_id = ${sessionId}`}${reverted.length === 0 ? sql`` : isLive}
        ORDER BY bm25(part_search), parts.key DESC
        LIMIT ${limit}`);
      return rows.map((row) => {
        const { sessionId, messageId, sequence, partIndex } = row;
        return { sessionId, messageId, sequence, partIndex, snippet: snippetOf(readableText(row), query) };
      });
    },
  };
}

export type PartSearch = ReturnType<typeof createPartSearch>;

/** Returns an empty string for a damaged row: the hit is returned without a snippet. `loadLog` reports the row. */
function readableText(row: HitRow): string {
  if (!isSoundRow('parts', { ...row, index: row.partIndex })) return '';
  try {
    const part: Part = JSON.parse(unpackText(row.body));
    return plainTextOf(part) ?? '';
  } catch {
    return '';
  }
}
