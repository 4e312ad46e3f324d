import type { Tool, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, plural } from '@longhaul/core/tool-output';
import { GREP_DIALECT } from './dialect/search-dialects.ts';
import { FoundCount } from './found-count.ts';
import { type GrepInput, type GrepOutput, readGrepInput } from './grep-input.ts';
import { parseInput } from './input-parser.ts';
import { findPlace, type SearchPlace } from './search-place.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';
import {
  type FoundLine,
  MAX_FOUND_LINE_CHARS,
  type ShownLimit,
  type WorkspaceSearch,
} from './workspace-search.ts';

export interface GrepOptions {
  /** The most matches that a call can ask for. Default 1,000. */
  maxMatches?: number;
  /** Matches shown if a call does not ask for another number. Default 100. */
  shownMatches?: number;
}

/** Later matches are not counted. */
const MAX_COUNTED = 20_000;
const MAX_CONTEXT_LINES = 20;

export function createGrepTool(
  findSearch: () => Promise<WorkspaceSearch>,
  options: GrepOptions = {},
): Tool<GrepInput> {
  const maxMatches = options.maxMatches ?? 1_000;
  const shownMatches = Math.min(options.shownMatches ?? 100, maxMatches);
  return {
    name: 'grep',
    aliases: GREP_DIALECT.names,
    isReadOnly: true,
    schema: {
      name: 'grep',
      description: 'Search file contents by regex, line by line. Skips files in .gitignore.',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          path: { type: 'string' },
          include: { type: 'string', description: 'Glob, like *.ts' },
          ignoreCase: { type: 'boolean' },
          context: { type: 'integer' },
          limit: { type: 'integer' },
        },
        required: ['pattern'],
      },
    },
    parse: (value) => parseInput(value, GREP_DIALECT, readGrepInput),
    execute: (input, { sandbox: { toolFiles }, signal }) =>
      reportRefusals(async () => {
        const place = await findPlace(toolFiles, input.path);
        if ('refusal' in place) return failedResult(place.refusal);
        const { files, path } = place;
        const most = Math.min(input.limit ?? shownMatches, maxMatches);
        const shown: ShownLimit = { unit: input.output === 'content' ? 'matches' : 'files', most };
        const search = await findSearch();
        const lines = search.findLines(files, {
          pattern: input.pattern,
          path,
          include: input.include,
          ignoreCase: input.ignoreCase,
          contextLines: Math.min(input.context ?? 0, MAX_CONTEXT_LINES),
          shown,
          signal,
        });
        const grouped = await group(withWholePaths(lines, place), { output: input.output, limit: shown });
        return describe(grouped, { pattern: input.pattern, most, maxMatches });
      }),
  };
}

async function* withWholePaths(
  lines: AsyncIterable<FoundLine>,
  { whole }: SearchPlace,
): AsyncGenerator<FoundLine> {
  for await (const line of lines) yield { ...line, path: whole(line.path) };
}

interface Grouped {
  rows: string[];
  /** All matches, also those that are not shown. */
  matches: number;
  shown: number;
  files: number;
  /** The rest was not searched. */
  stopped: boolean;
}

/**
 * Groups lines by file: the path once, then `12:match`, `13-context`, and `--` for lines left out between contexts.
 * After the most matches that are shown, it only counts.
 */
async function group(
  lines: AsyncIterable<FoundLine>,
  { output, limit }: { output: GrepOutput; limit: ShownLimit },
): Promise<Grouped> {
  const texts: string[] = [];
  const rows = output === 'content' ? createLineRows(texts) : createFileRows(texts, output);
  const count = new FoundCount(limit);
  let shown = 0;
  let stopped = false;
  for await (const found of lines) {
    if (found.isMatch && count.matches === MAX_COUNTED) {
      stopped = true;
      break;
    }
    const isShown = count.isShown(found);
    count.add(found);
    if (!isShown) continue;
    if (found.isMatch) shown += 1;
    rows.add(found);
  }
  rows.end();
  return { rows: texts, matches: count.matches, shown, files: count.files, stopped };
}

interface Rows {
  add(found: FoundLine): void;
  end(): void;
}

function createLineRows(rows: string[]): Rows {
  let last: FoundLine | undefined;
  let hasContext = false;
  return {
    add(found) {
      if (found.path !== last?.path) {
        if (last !== undefined) rows.push('');
        rows.push(displayPath(found.path));
      } else if (hasContext && found.line !== last.line + 1) rows.push('--');
      if (!found.isMatch) hasContext = true;
      const mark = found.isMatch ? ':' : '-';
      rows.push(`${found.line}${mark}${cutLine(found.text, MAX_FOUND_LINE_CHARS + 60)}`);
      last = found;
    },
    end: () => undefined,
  };
}

function createFileRows(rows: string[], output: 'files' | 'count'): Rows {
  let path: string | undefined;
  let matches = 0;
  const end = () => {
    if (path === undefined) return;
    rows.push(output === 'files' ? displayPath(path) : `${displayPath(path)}:${matches}`);
  };
  return {
    add(found) {
      if (!found.isMatch) return;
      if (found.path !== path) {
        end();
        path = found.path;
        matches = 0;
      }
      matches += 1;
    },
    end,
  };
}

function describe(
  { rows, matches, shown, files, stopped }: Grouped,
  { pattern, most, maxMatches }: { pattern: string; most: number; maxMatches: number },
): ToolResult {
  const count = `${stopped ? 'over ' : ''}${plural(matches, 'match')} in ${plural(files, 'file')}`;
  const title = `${cutLine(displayPath(pattern), 80)} (${matches === 0 ? 'none' : count})`;
  const metadata = { matches, files, shown };
  if (matches === 0) {
    return textResult('No matches. (.git, node_modules, binary files and files in .gitignore are skipped.)', {
      title,
      metadata,
    });
  }
  const wider = most < maxMatches ? `, or set limit (at most ${maxMatches})` : '';
  const more =
    shown < matches ? [`[${shown} of ${count} are shown: narrow the pattern, path or include${wider}]`] : [];
  return textResult([...rows, ...more].join('\n'), { title, metadata });
}
