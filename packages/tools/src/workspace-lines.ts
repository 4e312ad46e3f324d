import type { WorkspaceFiles } from '@longhaul/core';
import { showControls } from '@longhaul/core/tool-output';
import { LonghaulError } from '@longhaul/protocol';
import { FoundCount } from './found-count.ts';
import type { FoundLine, ShownLimit } from './workspace-search.ts';

const CHUNK_BYTES = 256 * 1024;
/** Bytes of a line that are compared and shown. */
const MAX_LINE_BYTES = 8_000;
/** A file in UTF-16 is decoded whole. */
const MAX_WIDE_BYTES = 16 * 1024 * 1024;
/** What ripgrep appends to the beginning of a long line. */
const PREVIEW_END = / \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]$/;
/** A preview can end in the middle of a character or an escape sequence. */
const PREVIEW_SLACK_CHARS = 20;

/** Paths that are checked at the same time. */
const PATHS_AT_ONCE = 32;

/**
 * Passes on only lines that the workspace's own files contain. Lines beyond the limit are not checked, and are passed
 * on without their text, to be counted.
 *
 * ripgrep opens files by their path. A command that swaps a folder for a link at that moment makes it read files
 * outside the workspace. So each line that is shown is read again through `WorkspaceFiles`, which follows no such link,
 * and is dropped if the workspace does not contain it. A number of matches beyond the limit can include such files.
 */
export async function* linesInside(
  files: WorkspaceFiles,
  lines: AsyncIterable<FoundLine>,
  shown: ShownLimit,
): AsyncGenerator<FoundLine> {
  const count = new FoundCount(shown);
  let path: string | undefined;
  let reader: LineReader | undefined;
  for await (const line of lines) {
    if (!count.isShown(line)) {
      count.add(line);
      yield { ...line, text: '' };
      continue;
    }
    if (line.path !== path || reader === undefined) {
      path = line.path;
      reader = createLineReader(files, path);
    }
    const own = await reader.line(line.line);
    if (own === undefined || !isSame(line.text, own)) continue;
    count.add(line);
    yield line;
  }
}

/** Passes on only paths of files in the workspace, in order. */
export async function* pathsInside(
  files: WorkspaceFiles,
  paths: AsyncIterable<string>,
): AsyncGenerator<string> {
  let batch: string[] = [];
  for await (const path of paths) {
    batch.push(path);
    if (batch.length < PATHS_AT_ONCE) continue;
    yield* await onlyInside(files, batch);
    batch = [];
  }
  yield* await onlyInside(files, batch);
}

async function onlyInside(files: WorkspaceFiles, paths: readonly string[]): Promise<string[]> {
  const inside = await Promise.all(paths.map((path) => isInside(files, path)));
  return paths.filter((_, index) => inside[index]);
}

async function isInside(files: WorkspaceFiles, path: string): Promise<boolean> {
  try {
    return (await files.stat(path)) !== undefined;
  } catch (error) {
    if (error instanceof LonghaulError) return false;
    throw error;
  }
}

function isSame(found: string, own: string): boolean {
  const end = PREVIEW_END.exec(found);
  if (found === own) return true;
  return end !== null && own.startsWith(found.slice(0, Math.max(0, end.index - PREVIEW_SLACK_CHARS)));
}

interface LineReader {
  /** Returns the beginning of a line, cleaned. Undefined if there is none. Numbers must ascend. */
  line(number: number): Promise<string | undefined>;
}

/** Reads a file in pieces, from its beginning, as far as the lines that are asked for. */
function createLineReader(files: WorkspaceFiles, path: string): LineReader {
  const pieces = readPieces(files, path);
  let pending: Buffer = Buffer.alloc(0);
  let wide: string[] | undefined;
  let isFirst = true;
  let isOver = false;
  let next = 1;

  async function fill(): Promise<void> {
    const piece = await pieces.next();
    if (piece.done) {
      isOver = true;
      return;
    }
    if (isFirst && isWide(piece.value)) wide = await readWide(files, path);
    pending = isFirst ? withoutMark(piece.value) : Buffer.concat([pending, piece.value]);
    isFirst = false;
  }

  /** Takes the next line. Undefined at the end of the file. */
  async function take(): Promise<Buffer | undefined> {
    let end = pending.indexOf(0x0a);
    const kept: Buffer[] = [];
    while (end === -1 && !isOver) {
      // The beginning of a very long line is kept, and the rest is skipped.
      if (pending.length > MAX_LINE_BYTES) {
        if (kept.length === 0) kept.push(pending.subarray(0, MAX_LINE_BYTES));
        pending = Buffer.alloc(0);
      }
      await fill();
      end = pending.indexOf(0x0a);
    }
    if (end === -1 && pending.length === 0 && kept.length === 0) return undefined;
    const rest = end === -1 ? pending : pending.subarray(0, end);
    pending = end === -1 ? Buffer.alloc(0) : pending.subarray(end + 1);
    return (kept[0] ?? rest).subarray(0, MAX_LINE_BYTES);
  }

  return {
    async line(number) {
      if (isFirst) await fill();
      if (wide !== undefined) return clean(wide[number - 1]);
      let line: Buffer | undefined;
      while (next <= number) {
        line = await take();
        next += 1;
      }
      return clean(line?.toString());
    },
  };
}

async function* readPieces(files: WorkspaceFiles, path: string): AsyncGenerator<Buffer> {
  try {
    for (let start = 0; ; start += CHUNK_BYTES) {
      const bytes = await files.read(path, { start, length: CHUNK_BYTES });
      if (bytes.length > 0) yield Buffer.from(bytes);
      if (bytes.length < CHUNK_BYTES) return;
    }
  } catch (error) {
    // The path leads out of the workspace, or the file is gone: it has no line.
    if (!(error instanceof LonghaulError)) throw error;
  }
}

function isWide(bytes: Buffer): boolean {
  return (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
}

async function readWide(files: WorkspaceFiles, path: string): Promise<string[]> {
  const bytes = await files.read(path, { start: 0, length: MAX_WIDE_BYTES });
  const encoding = bytes[0] === 0xff ? 'utf-16le' : 'utf-16be';
  return new TextDecoder(encoding).decode(bytes).split('\n');
}

/** Removes the byte order mark of UTF-8, which ripgrep does not print. */
function withoutMark(bytes: Buffer): Buffer {
  return bytes.subarray(0, 3).equals(Buffer.from([0xef, 0xbb, 0xbf])) ? bytes.subarray(3) : bytes;
}

function clean(line: string | undefined): string | undefined {
  return line === undefined ? undefined : showControls(line.replace(/\r$/, ''));
}
