import type { WorkspaceFiles } from '@longhaul/core';
import { looksBinary, showControls } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import { decodeUtf16 } from './decode-text.ts';
import { type IgnoreFile, IgnoreFileReader, orderPatterns } from './ignore-files.ts';
import { createIgnoreMatcher, type IgnoreMatcher } from './ignore-matcher.ts';
import { LineMatcher } from './line-matcher.ts';
import { createPathMatcher } from './path-matcher.ts';
import { textLines } from './text-lines.ts';
import {
  badPattern,
  expandInclude,
  type FindLinesRequest,
  type FoundLine,
  isSkippedFolder,
  type WorkspaceSearch,
} from './workspace-search.ts';

/** Larger files are skipped, because a file is held in memory to be searched. */
const MAX_FILE_BYTES = 16 * 1024 * 1024;
/** Only the beginning of a very long line is shown. */
const MAX_SHOWN_CHARS = 20_000;
/** How long the regular expression may take on one file. */
const MATCH_DEADLINE_MS = 10_000;

export interface PlainSearchOptions {
  /** How long the regular expression may take on one file. Default 10,000. */
  matchDeadlineMs?: number;
}

/** Creates the search for machines without ripgrep. */
export function createPlainSearch(options: PlainSearchOptions = {}): WorkspaceSearch {
  const deadlineMs = options.matchDeadlineMs ?? MATCH_DEADLINE_MS;
  return {
    listFiles: (files, { path, signal }) => walk(files, { path, signal }),
    findLines: (files, request) => findLines(files, { ...request, deadlineMs }),
  };
}

async function* walk(
  files: WorkspaceFiles,
  { path, signal }: { path: string; signal: AbortSignal },
): AsyncGenerator<string> {
  if ((await files.stat(path))?.kind === 'file') {
    yield path;
    return;
  }
  const reader = new IgnoreFileReader(files);
  const parent = path.slice(0, Math.max(0, path.lastIndexOf('/')));
  // Those of the searched folder itself are read when it is listed.
  const outer = path === '' ? [] : await reader.readDownTo(parent);
  const isIgnored = createIgnoreMatcher(orderPatterns(outer));
  yield* walkFolder({ files, path, signal, reader, outer, isIgnored });
}

interface Walk {
  files: WorkspaceFiles;
  path: string;
  signal: AbortSignal;
  reader: IgnoreFileReader;
  /** The ignore files of the folders above. */
  outer: readonly IgnoreFile[];
  isIgnored: IgnoreMatcher;
}

async function* walkFolder(at: Walk): AsyncGenerator<string> {
  const { files, path, signal, reader } = at;
  const entries = await files.list(path);
  const own =
    path === ''
      ? await reader.readDownTo('')
      : await reader.readIn(
          path,
          entries.map(({ name }) => name),
        );
  const outer = [...at.outer, ...own];
  const isIgnored = own.length === 0 ? at.isIgnored : createIgnoreMatcher(orderPatterns(outer));
  const ordered = entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of ordered) {
    signal.throwIfAborted();
    const child = path === '' ? entry.name : `${path}/${entry.name}`;
    if (isIgnored(child, entry.kind === 'directory')) continue;
    if (entry.kind === 'file') yield child;
    else if (entry.kind === 'directory' && !isSkippedFolder(entry.name))
      yield* walkReadable({ ...at, path: child, outer, isIgnored });
  }
}

/** Walks a folder. Skips it if it cannot be opened, as ripgrep does. */
async function* walkReadable(at: Walk): AsyncGenerator<string> {
  try {
    yield* walkFolder(at);
  } catch (thrown) {
    if (at.signal.aborted) throw thrown;
  }
}

async function* findLines(
  files: WorkspaceFiles,
  request: FindLinesRequest & { deadlineMs: number },
): AsyncGenerator<FoundLine> {
  await using matcher = new LineMatcher({ ...request, expression: compile(request) });
  const included = createIncludeFilter(request);
  for await (const path of walk(files, request)) {
    if (!included(path)) continue;
    const text = await readSearchable(files, path);
    if (text === undefined) continue;
    const matching = await matcher.matchingLines(text);
    if (matching.size > 0) yield* foundLines(text, { path, matching, contextLines: request.contextLines });
  }
}

function compile({ pattern, ignoreCase }: FindLinesRequest): RegExp {
  const inline = /^\(\?i\)/.test(pattern);
  try {
    return new RegExp(inline ? pattern.slice(4) : pattern, ignoreCase || inline ? 'i' : '');
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new LonghaulError('invalid_request', badPattern(reason));
  }
}

function createIncludeFilter({ include, path }: FindLinesRequest): (path: string) => boolean {
  if (include === undefined) return () => true;
  const negated = include.startsWith('!');
  const matchers = expandInclude(include, path).map((glob) =>
    createPathMatcher(negated ? glob.slice(1) : glob),
  );
  return (candidate) => matchers.some((matches) => matches(candidate)) !== negated;
}

async function readSearchable(files: WorkspaceFiles, path: string): Promise<string | undefined> {
  try {
    const info = await files.stat(path);
    if (info === undefined || info.size > MAX_FILE_BYTES) return undefined;
    const bytes = await files.read(path);
    // ripgrep reads UTF-16 too.
    const wide = decodeUtf16(bytes);
    if (wide !== undefined) return wide.text;
    return looksBinary(bytes) || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch (thrown) {
    // Removed or made unreadable after its folder was listed. Skipped, as ripgrep does.
    if (thrown instanceof LonghaulError || (thrown instanceof Error && 'code' in thrown)) return undefined;
    throw thrown;
  }
}

/** Yields the matching lines and the lines around them, each once. */
function* foundLines(
  text: string,
  { path, matching, contextLines }: { path: string; matching: ReadonlySet<number>; contextLines: number },
): Generator<FoundLine> {
  const lines = textLines(text);
  let shownUpTo = 0;
  for (const match of matching) {
    const last = Math.min(match + contextLines, lines.length - 1);
    for (let index = Math.max(shownUpTo, match - contextLines); index <= last; index += 1) {
      const shown = showControls((lines[index] ?? '').slice(0, MAX_SHOWN_CHARS));
      yield { path, line: index + 1, text: shown, isMatch: matching.has(index) };
    }
    shownUpTo = last + 1;
  }
}
