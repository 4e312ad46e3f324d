import type { WorkspaceFiles } from '@longhaul/core';
import { showControls } from '@longhaul/core/tool-output';
import { IgnoreFileIndex } from './ignore-index.ts';
import { privateIgnoreFile } from './ripgrep-ignore.ts';
import { runRipgrep } from './ripgrep-process.ts';
import { splitOutput } from './split-output.ts';
import { linesInside } from './workspace-lines.ts';
import {
  expandInclude,
  type FindLinesRequest,
  type FoundLine,
  MAX_FOUND_LINE_CHARS,
  type WorkspaceSearch,
} from './workspace-search.ts';

const DEADLINE_MS = 60_000;

export interface RipgrepSearchOptions {
  /** How long a search may take. Default 60,000. */
  deadlineMs?: number;
}

/**
 * Creates a search with ripgrep. Only the workspace's ignore files count, not those of the folders above it, nor the
 * user's, and ripgrep itself reads none of them (`ripgrep-ignore.ts`).
 */
export function createRipgrepSearch(program: string, options: RipgrepSearchOptions = {}): WorkspaceSearch {
  const deadlineMs = options.deadlineMs ?? DEADLINE_MS;
  const index = new IgnoreFileIndex();
  return {
    async *listFiles(files, { path, signal }) {
      const args = ['--files', '--sort=path'];
      yield* listed(search({ program, deadlineMs, index, files, path, signal, args }));
    },
    async *findLines(files, request) {
      const { path, signal } = request;
      const args = lineArguments(request);
      const output = search({ program, deadlineMs, index, files, path, signal, args });
      yield* linesInside(files, parseLines(output), request.shown);
    },
  };
}

interface Search {
  program: string;
  args: readonly string[];
  deadlineMs: number;
  index: IgnoreFileIndex;
  files: WorkspaceFiles;
  path: string;
  signal: AbortSignal;
}

async function* search({ args, files, index, ...run }: Search): AsyncGenerator<Buffer> {
  const { path, signal } = run;
  // ripgrep searches a file that is named, also if it is ignored.
  const isFolder = (await files.stat(path))?.kind === 'directory';
  using ignoring = privateIgnoreFile(isFolder ? await index.patternsFor(files, path, signal) : []);
  yield* runRipgrep({ ...run, root: files.root, args: [...args, ...COMMON_ARGUMENTS, ...ignoring.args] });
}

const COMMON_ARGUMENTS = [
  ...['--no-config', '--no-follow', '--hidden', '--null', '--color=never', '--no-messages', '--no-ignore'],
  ...['--glob=!.git', '--glob=!node_modules'],
];

function lineArguments({ pattern, include, path, ignoreCase, contextLines }: FindLinesRequest): string[] {
  return [
    ...['--sort=path', '--no-heading', '--with-filename', '--line-number', '--no-context-separator'],
    ...[`--max-columns=${MAX_FOUND_LINE_CHARS}`, '--max-columns-preview'],
    ...(ignoreCase ? ['--ignore-case'] : []),
    ...(contextLines > 0 ? [`--context=${contextLines}`] : []),
    ...(include === undefined ? [] : expandInclude(include, path).map((glob) => `--glob=${glob}`)),
    `--regexp=${pattern}`,
  ];
}

async function* listed(output: AsyncIterable<Buffer>): AsyncGenerator<string> {
  for await (const path of splitOutput(output, [NUL])) yield withoutDot(path);
}

/**
 * Parses records of the form `path NUL number : text LF`, with `-` in place of `:` on context lines. A path may contain
 * a line feed, a text cannot, and neither contains a NUL, so reading them in turn is unambiguous.
 */
async function* parseLines(output: AsyncIterable<Buffer>): AsyncGenerator<FoundLine> {
  let path: string | undefined;
  for await (const part of splitOutput(output, [NUL, LF])) {
    if (path === undefined) {
      path = withoutDot(part);
      continue;
    }
    const found = parseLine(path, part);
    path = undefined;
    if (found !== undefined) yield found;
  }
}

const NUL = 0;
const LF = 0x0a;

function parseLine(path: string, part: string): FoundLine | undefined {
  const record = /^(\d+)([:-])(.*)$/s.exec(part);
  if (record === null) return undefined;
  const [, line, mark, text = ''] = record;
  return { path, line: Number(line), isMatch: mark === ':', text: showControls(text.replace(/\r$/, '')) };
}

function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}
