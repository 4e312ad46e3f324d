import { RECALL_TOOL } from '@longhaul/context';
import { RECALL_FOLD_CHARS, RECALL_MAX_CHARS, type RecallPage, recallPage } from '@longhaul/context/engine';
import type { SessionHistory, Tool, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, groupDigits, sanitizeText } from '@longhaul/core/tool-output';
import { handleOf, parseHandle } from '@longhaul/protocol';
import { RECALL_DIALECT } from './dialect/command-dialects.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, textResult } from './tool-result.ts';

export interface RecallInput {
  query?: string;
  handle?: string;
  from?: number;
  lines?: number;
}

const MAX_HITS = 10;
const MAX_SNIPPET_CHARS = 600;

export function createRecallTool(): Tool<RecallInput> {
  return {
    name: 'recall',
    aliases: RECALL_DIALECT.names,
    isReadOnly: true,
    maxOutputChars: RECALL_MAX_CHARS + 1_000,
    schema: RECALL_TOOL,
    parse: (value) =>
      parseInput(value, RECALL_DIALECT, (fields) => {
        const query = fields.optionalText('query')?.trim() || undefined;
        const handle = fields.optionalText('handle')?.trim() || undefined;
        if (query === undefined && handle === undefined) {
          fields.problem('Give either `query`, to search, or `handle` (as m12.3), to read.');
        }
        const from = Math.max(1, fields.optionalInteger('from', 0) ?? 1);
        return { query, handle, from, lines: fields.optionalInteger('lines', 1) };
      }),
    async execute(input, { history }) {
      const { query, handle } = input;
      if (query === undefined) return readHandle(handle ?? '', { input, history });
      if (handle === undefined) return search(query, { history });
      const place = await placeIn(`${handle}/`, history);
      if (place !== undefined) return search(query, { history: place.history, prefix: `${handle}/` });
      return failedResult(
        `${quoted(handle)} is not a task, so it cannot be searched. Give either query or handle.`,
      );
    },
  };
}

/** Follows a handle such as `m12.3/m4.1` into the sessions that the calls before each slash have started. */
async function placeIn(
  path: string,
  history: SessionHistory,
): Promise<{ history: SessionHistory; handle: string } | undefined> {
  const steps = path.split('/');
  let found: SessionHistory | undefined = history;
  for (const step of steps.slice(0, -1)) found = await found?.child?.(step);
  return found && { history: found, handle: steps.at(-1) ?? '' };
}

async function search(
  query: string,
  { history, prefix = '' }: { history: SessionHistory; prefix?: string },
): Promise<ToolResult> {
  const hits = await history.search(query, MAX_HITS);
  const title = `${cutLine(displayPath(query), 80)} (${hits.length} found)`;
  if (hits.length === 0) {
    return textResult('Nothing found. All words must occur in one text: try fewer or other words.', {
      title,
    });
  }
  const found = hits.map((hit) => {
    const snippet = sanitizeText(hit.snippet)
      .replace(/\s*\n\s*/g, ' ⏎ ')
      .trim();
    return `${prefix}${handleOf(hit.sequence, hit.partIndex)}: ${cutLine(snippet, MAX_SNIPPET_CHARS)}`;
  });
  return textResult(`${found.join('\n')}\n[to read one, give its handle]`, { title });
}

async function readHandle(
  handle: string,
  { input, history }: { input: RecallInput; history: SessionHistory },
): Promise<ToolResult> {
  const place = await placeIn(handle, history);
  if (place === undefined || parseHandle(place.handle) === undefined) {
    return failedResult(
      `${quoted(handle)} is not a handle. Handles look like m12.3 (message 12, part 3) or m12.`,
    );
  }
  const text = await place.history.fullText(place.handle);
  if (text === undefined) {
    return failedResult(
      `Nothing has the handle ${handle}. Handles look like m12.3; recall with a query finds them.`,
    );
  }
  return describePage(
    handle,
    recallPage(text, { from: input.from, lines: input.lines, clean: sanitizeText }),
  );
}

function quoted(handle: string): string {
  return JSON.stringify(handle.slice(0, 60));
}

function describePage(handle: string, { lines, from, totalLines, hasFolds }: RecallPage): ToolResult {
  if (totalLines === 0) return textResult('[empty]', { title: `${handle} (empty)` });
  if (lines.length === 0)
    return failedResult(`from ${from} is past the end: ${handle} has ${groupDigits(totalLines)} lines.`);
  const last = from + lines.length - 1;
  const next = last < totalLines ? ` Next: from ${last + 1}` : '';
  const folds = hasFolds ? ` Lines over ${RECALL_FOLD_CHARS} chars are folded.` : '';
  return textResult(
    `${lines.join('\n')}\n[${handle}: lines ${from}-${last} of ${totalLines}.${folds}${next}]`,
    {
      title: `${handle}, lines ${from}-${last} of ${totalLines}`,
    },
  );
}
