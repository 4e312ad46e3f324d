import type { SearchHit } from '@longhaul/core';
import { handleOf } from '@longhaul/protocol';
import { fitLine, shortId } from './format.ts';
import { createPaint } from './paint.ts';

export interface SessionMatch extends SearchHit {
  /** Of the session. */
  title: string;
  /** Of the session. */
  summary?: string | undefined;
  /** The session that has started it. Undefined: it is no child. */
  parent?: { id: string; title: string };
}

const HANDLE_COLUMNS = 9;

/** Lists matches under their sessions, in the order in which they were found. */
export function matchLines(
  matches: readonly SessionMatch[],
  { words, columns, colors }: { words: string; columns: number; colors: boolean },
): string {
  const paint = createPaint(colors);
  if (matches.length === 0) {
    return `Nothing found for "${fitLine(words, 60)}". A text must contain all the words: try fewer or other words.\n`;
  }
  const bySession = Map.groupBy(matches, (match) => match.sessionId);
  const blocks = [...bySession].map(([sessionId, found]) => {
    const { title = '', summary } = found[0] ?? {};
    const head = `${paint.note(shortId(sessionId))}  ${paint.bold(fitLine(title, columns - 15))}`;
    const lines = found.map(({ sequence, partIndex, snippet }) => {
      const handle = handleOf(sequence, partIndex).padEnd(HANDLE_COLUMNS);
      return `${paint.dim(handle)}${fitLine(snippet, columns - HANDLE_COLUMNS)}`;
    });
    const parent = found[0]?.parent;
    const place = parent === undefined ? [] : [`child of ${shortId(parent.id)}  ${parent.title}`];
    const about = [...place, ...(summary === undefined ? [] : [summary])];
    return [head, ...about.map((line) => paint.dim(fitLine(line, columns))), ...lines].join('\n');
  });
  return `${blocks.join('\n\n')}\n`;
}
