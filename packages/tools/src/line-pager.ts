import { looksBinary } from '@longhaul/core/tool-output';

const DEFAULT_CHUNK_BYTES = 1024 * 1024;
/** Files up to this size are read to the end to count their lines. */
const COUNT_LINES_UP_TO_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface LinePageRequest {
  /** First line, from 1. */
  from: number;
  maxLines: number;
  /** Bytes kept of each line. */
  maxLineBytes: number;
  /** Bytes of all lines together. At least one line is always returned. */
  maxBytes: number;
  /** Bytes that each line takes in addition, such as those of its number. Default 0. */
  addedBytes?: number;
  sizeBytes: number;
  read(range: { start: number; length: number }): Promise<Uint8Array>;
  signal: AbortSignal;
  /** Bytes per read. Default 1 MiB. */
  chunkBytes?: number;
}

export interface PagedLine {
  /** The line without its line end, cut to `maxLineBytes`. */
  bytes: Buffer;
  /** Length of the whole line. */
  totalBytes: number;
}

export interface LinePage {
  lines: PagedLine[];
  /** Whether more lines follow the page. */
  hasMore: boolean;
  /** Present if the file was read to its end: always, except for a very large file whose page ended before. */
  totalLines?: number;
  binary: boolean;
}

/**
 * Returns one page of a file's lines. Reads the file in pieces, so memory is bounded by the page, whatever the sizes of
 * the file and its lines. A final line feed starts no further line.
 */
export async function readLinePage(request: LinePageRequest): Promise<LinePage> {
  const page = createPage(request);
  const length = request.chunkBytes ?? DEFAULT_CHUNK_BYTES;
  for (let start = 0; start < request.sizeBytes; start += length) {
    request.signal.throwIfAborted();
    const chunk = Buffer.from(await request.read({ start, length }));
    if (chunk.length === 0) break;
    if (start === 0 && looksBinary(chunk)) return { lines: [], hasMore: false, binary: true };
    page.push(chunk);
    if (page.isPast() && request.sizeBytes > COUNT_LINES_UP_TO_BYTES) {
      return { lines: page.lines, hasMore: true, binary: false };
    }
  }
  const totalLines = page.end();
  return {
    lines: page.lines,
    hasMore: request.from - 1 + page.lines.length < totalLines,
    totalLines,
    binary: false,
  };
}

function createPage({ from, maxLines, maxLineBytes, maxBytes, addedBytes = 0 }: LinePageRequest) {
  const lines: PagedLine[] = [];
  let lineNumber = 1;
  let pageBytes = 0;
  let full = false;
  let current: Buffer[] = [];
  let currentKept = 0;
  let currentTotal = 0;

  const isWanted = () => !full && lineNumber >= from;

  function add(piece: Buffer): void {
    currentTotal += piece.length;
    if (currentKept >= maxLineBytes) return;
    // Copied, so that a short line does not keep a whole chunk in memory.
    const kept = Buffer.from(piece.subarray(0, maxLineBytes - currentKept));
    currentKept += kept.length;
    current.push(kept);
  }

  function endLine(): void {
    if (isWanted()) {
      const bytes = Buffer.concat(current);
      if (lines.length > 0 && pageBytes + bytes.length + addedBytes > maxBytes) full = true;
      else {
        lines.push({ bytes, totalBytes: currentTotal });
        pageBytes += bytes.length + addedBytes;
        full = lines.length >= maxLines;
      }
    }
    lineNumber += 1;
    current = [];
    currentKept = 0;
    currentTotal = 0;
  }

  function takeLine(chunk: Buffer, at: number): number {
    const end = chunk.indexOf(LINE_FEED, at);
    add(chunk.subarray(at, end === -1 ? chunk.length : end));
    if (end === -1) return chunk.length;
    endLine();
    return end + 1;
  }

  /**
   * Counts lines that are not shown. Reads byte by byte, which for short lines is many times faster than searching for
   * each end.
   */
  function skipLines(chunk: Buffer, start: number): number {
    let lineStart = start;
    for (let at = start; at < chunk.length; at += 1) {
      if (chunk[at] !== LINE_FEED) continue;
      lineNumber += 1;
      currentTotal = 0;
      lineStart = at + 1;
      if (isWanted()) return lineStart;
    }
    currentTotal += chunk.length - lineStart;
    return chunk.length;
  }

  return {
    lines,
    push(chunk: Buffer): void {
      let at = 0;
      while (at < chunk.length) at = isWanted() ? takeLine(chunk, at) : skipLines(chunk, at);
    },
    /** Whether the page is full and more of the file has been read after it. */
    isPast: () => full && (currentTotal > 0 || lineNumber > from + lines.length),
    end(): number {
      if (currentTotal > 0) endLine();
      return lineNumber - 1;
    },
  };
}
