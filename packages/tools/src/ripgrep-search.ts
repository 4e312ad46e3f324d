import type { WorkspaceFiles } from '@longhaul/core';
import { showControls } from '@longhaul/core/tool-output';
import { IgnoreFileIndex } from './ignore-index.ts';
import { privateIgnoreFile } from './ripgrep-ignore.ts';
import { runRipgrep } from './ripgrep-process.ts';
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
  let pending = Buffer.alloc(0);
  for await (const chunk of output) {
    pending = Buffer.concat([pending, chunk]);
    for (let end = pending.indexOf(0); end !== -1; end = pending.indexOf(0)) {
      yield withoutDot(pending.subarray(0, end).toString());
      pending = pending.subarray(end + 1);
    }
  }
}

/**
 * Parses records of the form `path NUL number : text LF`, with `-` in place of `:` on context lines. A path may contain
 * a line feed, a text cannot, and neither contains a NUL, so reading them in turn is unambiguous.
 */
async function* parseLines(output: AsyncIterable<Buffer>): AsyncGenerator<FoundLine> {
  let pending = Buffer.alloc(0);
  for await (const chunk of output) {
    pending = Buffer.concat([pending, chunk]);
    for (;;) {
      const pathEnd = pending.indexOf(0);
      const lineEnd = pathEnd === -1 ? -1 : pending.indexOf(0x0a, pathEnd);
      if (lineEnd === -1) break;
      const path = withoutDot(pending.subarray(0, pathEnd).toString());
      const record = /^(\d+)([:-])(.*)$/s.exec(pending.subarray(pathEnd + 1, lineEnd).toString());
      pending = pending.subarray(lineEnd + 1);
      if (record === null) continue;
      const [, line, mark, text = ''] = record;
      yield { path, line: Number(line), isMatch: mark === ':', text: showControls(text.replace(/\r$/, '')) };
    }
  }
}

function withoutDot(path: string): string {
  return path.startsWith('./') ? path.slice(2) : path;
}
