import { RECALL_TOOL } from '@longhaul/context';
import type { SessionHistory, Tool, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, endBefore, groupDigits, sanitizeText } from '@longhaul/core/tool-output';
import { handleOf, parseHandle } from '@longhaul/protocol';
import { parseInput } from './input-parser.ts';
import { failedResult, textResult } from './tool-result.ts';

export interface RecallInput {
  query?: string;
  handle?: string;
  from?: number;
  lines?: number;
}

/** Its own output must not fill the window that it helps to keep free. */
const MAX_CHARS = 12_000;
const DEFAULT_LINES = 200;
/** Longer lines are folded, and each piece counts as a line: so every character can be reached by line numbers. */
const FOLD_CHARS = 2_000;
const MAX_HITS = 10;
const MAX_SNIPPET_CHARS = 600;

export function createRecallTool(): Tool<RecallInput> {
  return {
    name: 'recall',
    maxOutputChars: MAX_CHARS + 1_000,
    schema: RECALL_TOOL,
    parse: (value) =>
      parseInput(value, (fields) => {
        const query = fields.optionalText('query')?.trim() || undefined;
        const handle = fields.optionalText('handle')?.trim() || undefined;
        if ((query === undefined) === (handle === undefined)) {
          fields.problem('Give either `query`, to search, or `handle` (as m12.3), to read.');
        }
        const from = Math.max(1, fields.optionalInteger('from', 0) ?? 1);
        return { query, handle, from, lines: fields.optionalInteger('lines', 1) };
      }),
    async execute(input, { history }) {
      if (input.handle !== undefined) return readHandle(input.handle, { input, history });
      return search(input.query ?? '', history);
    },
  };
}

async function search(query: string, history: SessionHistory): Promise<ToolResult> {
  const hits = await history.search(query, MAX_HITS);
  const title = `${cutLine(displayPath(query), 80)} (${hits.length} found)`;
  if (hits.length === 0) {
    return textResult('Nothing found. All words must occur in one text: try fewer, or other ones.', {
      title,
    });
  }
  const found = hits.map((hit) => {
    const snippet = sanitizeText(hit.snippet)
      .replace(/\s*\n\s*/g, ' ⏎ ')
      .trim();
    return `${handleOf(hit.sequence, hit.partIndex)}: ${cutLine(snippet, MAX_SNIPPET_CHARS)}`;
  });
  return textResult(`${found.join('\n')}\n[to read one, give its handle]`, { title });
}

async function readHandle(
  handle: string,
  { input, history }: { input: RecallInput; history: SessionHistory },
): Promise<ToolResult> {
  if (parseHandle(handle) === undefined) {
    return failedResult(
      `${JSON.stringify(handle.slice(0, 60))} is not a handle: they look like m12.3 (message 12, part 3) or m12.`,
    );
  }
  const text = await history.fullText(handle);
  if (text === undefined) {
    return failedResult(
      `Nothing stands behind ${handle}. Handles look like m12.3; recall with a query finds them.`,
    );
  }
  return describePage(
    handle,
    readPage(text, { from: input.from ?? 1, maxLines: input.lines ?? DEFAULT_LINES }),
  );
}

interface Page {
  lines: string[];
  from: number;
  totalLines: number;
  hasFolds: boolean;
}

/** Walks the text once, without splitting all of it: it may have hundreds of megabytes. */
function readPage(text: string, { from, maxLines }: { from: number; maxLines: number }): Page {
  const page: Page = { lines: [], from, totalLines: 0, hasFolds: false };
  let chars = 0;
  let isFull = false;
  for (const { start, end, isFold } of foldedLines(text)) {
    page.totalLines += 1;
    page.hasFolds ||= isFold;
    if (page.totalLines < from || isFull) continue;
    const line = sanitizeText(text.slice(start, end));
    isFull = page.lines.length >= maxLines || (page.lines.length > 0 && chars + line.length + 1 > MAX_CHARS);
    if (isFull) continue;
    page.lines.push(line);
    chars += line.length + 1;
  }
  return page;
}

function* foldedLines(text: string): Generator<{ start: number; end: number; isFold: boolean }> {
  let start = 0;
  while (start < text.length) {
    const lineFeed = text.indexOf('\n', start);
    const lineEnd = lineFeed === -1 ? text.length : lineFeed;
    while (lineEnd - start > FOLD_CHARS) {
      const end = endBefore(text, start + FOLD_CHARS);
      yield { start, end, isFold: true };
      start = end;
    }
    yield { start, end: lineEnd, isFold: false };
    start = lineEnd + 1;
  }
}

function describePage(handle: string, { lines, from, totalLines, hasFolds }: Page): ToolResult {
  if (totalLines === 0) return textResult('[empty]', { title: `${handle} (empty)` });
  if (lines.length === 0)
    return failedResult(`from ${from} is past the end: ${handle} has ${groupDigits(totalLines)} lines.`);
  const last = from + lines.length - 1;
  const next = last < totalLines ? ` Next: from ${last + 1}` : '';
  const folds = hasFolds ? ` Lines over ${FOLD_CHARS} chars are folded.` : '';
  return textResult(
    `${lines.join('\n')}\n[${handle}: lines ${from}-${last} of ${totalLines}.${folds}${next}]`,
    {
      title: `${handle}, lines ${from}-${last} of ${totalLines}`,
    },
  );
}
