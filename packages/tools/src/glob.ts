import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@longhaul/core';
import { displayPath, plural } from '@longhaul/core/tool-output';
import { describeMissing } from './describe-missing.ts';
import { GLOB_DIALECT } from './dialect/search-dialects.ts';
import { parseInput } from './input-parser.ts';
import { createPathMatcher } from './path-matcher.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';
import { isInside } from './workspace-lines.ts';
import type { WorkspaceSearch } from './workspace-search.ts';

/** After this many files, other sessions of the process get a turn. */
const FILES_PER_TURN = 256;

export interface GlobInput {
  pattern: string;
  path?: string;
  /** At most the tool's own limit. */
  limit?: number;
}

export interface GlobOptions {
  /** Default 1,000. */
  maxPaths?: number;
}

export function createGlobTool(
  findSearch: () => Promise<WorkspaceSearch>,
  options: GlobOptions = {},
): Tool<GlobInput> {
  const maxPaths = options.maxPaths ?? 1_000;
  return {
    name: 'glob',
    aliases: GLOB_DIALECT.names,
    isReadOnly: true,
    schema: {
      name: 'glob',
      description:
        'Find files by glob, like src/**/*.ts. Without / it matches names at any depth. Skips files in .gitignore.',
      parameters: {
        type: 'object',
        properties: {
          pattern: { type: 'string' },
          path: { type: 'string', description: 'Folder to search' },
        },
        required: ['pattern'],
      },
    },
    parse: (value) =>
      parseInput(value, GLOB_DIALECT, (fields) => ({
        pattern: fields.text('pattern'),
        path: fields.optionalText('path'),
        limit: fields.optionalInteger('limit', 0) || undefined,
      })),
    execute: (input, { sandbox, signal }) =>
      reportRefusals(async () => {
        const { files } = sandbox;
        const info = await files.stat(input.path ?? '');
        if (info === undefined) return failedResult(await describeMissing(files, input.path ?? ''));
        const path = await files.resolve(input.path ?? '');
        const pattern = relativePattern(input.pattern, sandbox.workspacePath);
        if (pattern === undefined)
          return failedResult('`pattern` must stay inside the workspace: leave out `..` and absolute paths.');
        const matches = createPathMatcher(pattern);
        const search = await findSearch();
        const most = Math.min(input.limit ?? maxPaths, maxPaths);
        const found: string[] = [];
        let seen = 0;
        for await (const file of search.listFiles(files, { path, signal })) {
          seen += 1;
          if (seen % FILES_PER_TURN === 0) await setImmediate(undefined, { signal });
          if (!matches(belowFolder(file, path)) && !matches(file)) continue;
          // A search by paths can list files outside if a command swaps a folder for a link at the same time.
          if (!(await isInside(files, file))) continue;
          found.push(file);
          if (found.length > most) break;
        }
        return describe(found, { pattern: input.pattern, maxPaths: most });
      }),
  };
}

/** Removes the workspace's path from the start of a pattern. Undefined if the pattern leads out of the workspace. */
function relativePattern(pattern: string, workspacePath: string): string | undefined {
  const relative = pattern.startsWith(`${workspacePath}/`)
    ? pattern.slice(workspacePath.length + 1)
    : pattern;
  const clean = relative.replace(/^(\.\/)+/, '');
  return clean.startsWith('/') || clean.split('/').includes('..') ? undefined : clean;
}

function belowFolder(file: string, folder: string): string {
  return folder !== '' && file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

function describe(found: readonly string[], { pattern, maxPaths }: { pattern: string; maxPaths: number }) {
  if (found.length === 0) {
    return textResult('No file matches. (.git, node_modules and files in .gitignore are skipped.)', {
      title: `${displayPath(pattern)} (none)`,
      metadata: { matches: 0 },
    });
  }
  const shown = found.slice(0, maxPaths);
  const lines = shown.map(displayPath);
  if (found.length > maxPaths)
    lines.push(`[only the first ${maxPaths} are shown: use a narrower pattern or path]`);
  return textResult(lines.join('\n'), {
    title: `${displayPath(pattern)} (${plural(shown.length, 'file')})`,
    metadata: { matches: shown.length },
  });
}
