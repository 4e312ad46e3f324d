import type { WorkspaceFiles } from '@longhaul/core';
import { looksBinary, sanitizeText } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import { createPathMatcher } from './path-matcher.ts';
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
/**
 * Only the beginning of a very long line is searched, because JavaScript's regular expressions can take exponential
 * time.
 */
const MAX_SEARCHED_CHARS = 20_000;

/** Creates the search for machines without ripgrep. It does not read `.gitignore`. */
export function createPlainSearch(): WorkspaceSearch {
  return {
    listFiles: (files, { path, signal }) => walk(files, { path, signal }),
    findLines,
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
  const entries = await files.list(path);
  const ordered = entries.toSorted((left, right) => (left.name < right.name ? -1 : 1));
  for (const entry of ordered) {
    signal.throwIfAborted();
    const child = path === '' ? entry.name : `${path}/${entry.name}`;
    if (entry.kind === 'file') yield child;
    else if (entry.kind === 'directory' && !isSkippedFolder(entry.name))
      yield* walkReadable(files, { path: child, signal });
  }
}

/** Walks a folder. Skips it if it cannot be opened, as ripgrep does. */
async function* walkReadable(
  files: WorkspaceFiles,
  options: { path: string; signal: AbortSignal },
): AsyncGenerator<string> {
  try {
    yield* walk(files, options);
  } catch (thrown) {
    if (options.signal.aborted) throw thrown;
  }
}

async function* findLines(files: WorkspaceFiles, request: FindLinesRequest): AsyncGenerator<FoundLine> {
  const expression = compile(request);
  const included = await createIncludeFilter(request);
  for await (const path of walk(files, request)) {
    if (!included(path)) continue;
    const text = await readSearchable(files, path);
    if (text !== undefined)
      yield* matchingLines(text, { path, expression, contextLines: request.contextLines });
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

async function createIncludeFilter({ include, path }: FindLinesRequest): Promise<(path: string) => boolean> {
  if (include === undefined) return () => true;
  const negated = include.startsWith('!');
  const matchers = await Promise.all(
    expandInclude(include, path).map((glob) => createPathMatcher(negated ? glob.slice(1) : glob)),
  );
  return (candidate) => matchers.some((matches) => matches(candidate)) !== negated;
}

async function readSearchable(files: WorkspaceFiles, path: string): Promise<string | undefined> {
  try {
    const info = await files.stat(path);
    if (info === undefined || info.size > MAX_FILE_BYTES) return undefined;
    const bytes = await files.read(path);
    return looksBinary(bytes) || bytes.includes(0) ? undefined : new TextDecoder().decode(bytes);
  } catch (thrown) {
    // Removed or made unreadable after its folder was listed. Skipped, as ripgrep does.
    if (thrown instanceof LonghaulError || (thrown instanceof Error && 'code' in thrown)) return undefined;
    throw thrown;
  }
}

function* matchingLines(
  text: string,
  { path, expression, contextLines }: { path: string; expression: RegExp; contextLines: number },
): Generator<FoundLine> {
  const lines = text.split('\n').map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  if (lines.at(-1) === '') lines.pop();
  let shownUpTo = 0;
  const found = (index: number, isMatch: boolean): FoundLine => {
    return {
      path,
      line: index + 1,
      text: sanitizeText((lines[index] ?? '').slice(0, MAX_SEARCHED_CHARS)),
      isMatch,
    };
  };
  let after = 0;
  for (let index = 0; index < lines.length; index += 1) {
    if (expression.test((lines[index] ?? '').slice(0, MAX_SEARCHED_CHARS))) {
      for (let before = Math.max(shownUpTo, index - contextLines); before < index; before += 1)
        yield found(before, false);
      yield found(index, true);
      shownUpTo = index + 1;
      after = contextLines;
    } else if (after > 0) {
      yield found(index, false);
      shownUpTo = index + 1;
      after -= 1;
    }
  }
}
