import { setImmediate } from 'node:timers/promises';
import type { Tool } from '@longhaul/core';
import { displayPath, plural } from '@longhaul/core/tool-output';
import { GLOB_DIALECT } from './dialect/search-dialects.ts';
import { parseInput } from './input-parser.ts';
import { createPathMatcher } from './path-matcher.ts';
import { findPlace } from './search-place.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';
import { pathsInside } from './workspace-lines.ts';
import type { WorkspaceSearch } from './workspace-search.ts';

/** After this many files, other sessions of the process get a turn. */
const FILES_PER_TURN = 256;

export interface GlobInput {
  /** Begins with a slash if it is for whole paths below `path`, also without another slash. */
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
          path: { type: 'string' },
        },
        required: ['pattern'],
      },
    },
    parse: (value) =>
      parseInput(value, GLOB_DIALECT, (fields) => ({
        ...splitPattern(fields.text('pattern'), fields.optionalText('path')),
        limit: fields.optionalInteger('limit', 0) || undefined,
      })),
    execute: (input, { sandbox, signal }) =>
      reportRefusals(async () => {
        const place = await findPlace(sandbox.toolFiles, input.path);
        if ('refusal' in place) return failedResult(place.refusal);
        const { files, path, whole } = place;
        const isWhole = input.pattern.startsWith('/');
        const pattern = input.pattern.replace(/^(?:\/|(?:\.\/)+)/, '');
        if (pattern.split('/').includes('..'))
          return failedResult('`pattern` must not contain `..`: give the folder as `path`.');
        const matchesPath = createPathMatcher(pattern);
        const matches = (below: string, file: string) =>
          isWhole
            ? matchesPath(below) && (pattern.includes('/') || !below.includes('/'))
            : matchesPath(below) || matchesPath(file);
        const search = await findSearch();
        const most = Math.min(input.limit ?? maxPaths, maxPaths);
        const candidates = filter(search.listFiles(files, { path, signal }), {
          matches: (file) => matches(belowFolder(file, path), file),
          signal,
        });
        const found: string[] = [];
        // A search by paths can list files outside if a command swaps a folder for a link at the same time.
        for await (const file of pathsInside(files, candidates)) {
          found.push(whole(file));
          if (found.length > most) break;
        }
        return describe(found, { pattern: input.pattern, maxPaths: most });
      }),
  };
}

async function* filter(
  paths: AsyncIterable<string>,
  { matches, signal }: { matches: (path: string) => boolean; signal: AbortSignal },
): AsyncGenerator<string> {
  let seen = 0;
  for await (const path of paths) {
    seen += 1;
    if (seen % FILES_PER_TURN === 0) await setImmediate(undefined, { signal });
    if (matches(path)) yield path;
  }
}

/**
 * Splits an absolute pattern into a folder without special characters and the pattern below it, which keeps a slash.
 */
function splitPattern(pattern: string, path: string | undefined): Pick<GlobInput, 'pattern' | 'path'> {
  if (!pattern.startsWith('/')) return { pattern, path };
  const names = pattern.split('/');
  const special = names.findIndex((name) => /[*?[{(\\]/.test(name));
  const end = special === -1 ? names.length - 1 : special;
  return { path: names.slice(0, end).join('/') || '/', pattern: `/${names.slice(end).join('/')}` };
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
