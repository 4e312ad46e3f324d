import type { Tool, ToolResult } from '@longhaul/core';
import { cutLine, displayPath, plural } from '@longhaul/core/tool-output';
import { describeMissing } from './describe-missing.ts';
import { parseInput } from './input-parser.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';
import { type FoundLine, MAX_FOUND_LINE_CHARS, type WorkspaceSearch } from './workspace-search.ts';

export interface GrepInput {
  pattern: string;
  path?: string;
  include?: string;
  ignoreCase: boolean;
  context?: number;
}

export interface GrepOptions {
  /** Default 1,000. */
  maxMatches?: number;
}

const MAX_CONTEXT_LINES = 20;

export function createGrepTool(
  findSearch: () => Promise<WorkspaceSearch>,
  options: GrepOptions = {},
): Tool<GrepInput> {
  const maxMatches = options.maxMatches ?? 1_000;
  return {
    name: 'grep',
    schema: {
      name: 'grep',
      description: 'Search file contents by regular expression, line by line. Skips files in .gitignore.',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          path: { type: 'string', description: 'File or folder' },
          include: { type: 'string', description: 'Glob, like *.ts' },
          ignoreCase: { type: 'boolean' },
          context: { type: 'integer', description: 'Context lines' },
        },
        required: ['pattern'],
      },
    },
    parse: (value) =>
      parseInput(value, (fields) => {
        const pattern = fields.text('pattern');
        if (pattern === '') fields.problem('`pattern` is empty.');
        return {
          pattern,
          path: fields.optionalText('path'),
          include: fields.optionalText('include') || undefined,
          ignoreCase: fields.flag('ignoreCase'),
          context: fields.optionalInteger('context', 0),
        };
      }),
    execute: (input, { sandbox: { files }, signal }) =>
      reportRefusals(async () => {
        const info = await files.stat(input.path ?? '');
        if (info === undefined) return failedResult(await describeMissing(files, input.path ?? ''));
        const path = await files.resolve(input.path ?? '');
        // Reading a pipe or a device could block forever.
        if (info.kind === 'other')
          return failedResult(`${displayPath(path)} is not a regular file or a folder.`);
        const search = await findSearch();
        const lines = search.findLines(files, {
          pattern: input.pattern,
          path,
          include: input.include,
          ignoreCase: input.ignoreCase,
          contextLines: Math.min(input.context ?? 0, MAX_CONTEXT_LINES),
          signal,
        });
        return describe(await group(lines, maxMatches), { pattern: input.pattern, maxMatches });
      }),
  };
}

interface Grouped {
  rows: string[];
  matches: number;
  files: number;
  hasMore: boolean;
}

/** Groups lines by file: the path once, then `12:match`, `13-context`, and `--` for lines left out between contexts. */
async function group(lines: AsyncIterable<FoundLine>, maxMatches: number): Promise<Grouped> {
  const grouped: Grouped = { rows: [], matches: 0, files: 0, hasMore: false };
  let last: FoundLine | undefined;
  let hasContext = false;
  for await (const found of lines) {
    if (found.isMatch && grouped.matches >= maxMatches) {
      grouped.hasMore = true;
      break;
    }
    if (found.path !== last?.path) {
      if (last !== undefined) grouped.rows.push('');
      grouped.rows.push(displayPath(found.path));
      grouped.files += 1;
    } else if (hasContext && found.line !== last.line + 1) grouped.rows.push('--');
    if (found.isMatch) grouped.matches += 1;
    else hasContext = true;
    grouped.rows.push(
      `${found.line}${found.isMatch ? ':' : '-'}${cutLine(found.text, MAX_FOUND_LINE_CHARS + 60)}`,
    );
    last = found;
  }
  return grouped;
}

function describe(
  grouped: Grouped,
  { pattern, maxMatches }: { pattern: string; maxMatches: number },
): ToolResult {
  const { rows, matches, files, hasMore } = grouped;
  const count = `${plural(matches, 'match')} in ${plural(files, 'file')}`;
  const title = `${cutLine(displayPath(pattern), 80)} (${matches === 0 ? 'none' : count})`;
  const metadata = { matches, files };
  if (matches === 0) {
    return textResult('No matches. (.git, node_modules, binary files and files in .gitignore are skipped.)', {
      title,
      metadata,
    });
  }
  const more = hasMore
    ? [`[only the first ${maxMatches} matches are shown: narrow the pattern, path or include]`]
    : [];
  return textResult([...rows, ...more].join('\n'), { title, metadata });
}
