import { looksBinary } from './output-sanitizer.ts';

const CHUNK_BYTES = 1024 * 1024;
/** Files up to this size are read to their end to learn how many lines they have. */
const COUNT_LINES_UP_TO_BYTES = 64 * 1024 * 1024;
const LINE_FEED = 0x0a;

export interface LinePageRequest {
  /** First line, from 1. */
  from: number;
  maxLines: number;
  /** Bytes kept of one line. */
  maxLineBytes: number;
  /** Bytes of all lines together; at least one line is always returned. */
  maxBytes: number;
  sizeBytes: number;
  read(range: { start: number; length: number }): Promise<Uint8Array>;
  signal: AbortSignal;
}

export interface PagedLine {
  /** Without its line end; cut to `maxLineBytes`. */
  bytes: Buffer;
  /** Of the whole line. */
  totalBytes: number;
}

export interface LinePage {
  lines: PagedLine[];
  /** More lines follow the page. */
  hasMore: boolean;
  /** Known when the file was read to its end: always, unless it is very large and the page ended before. */
  totalLines?: number;
  binary: boolean;
}

/**
 * One page of a file's lines, read in pieces: memory is bounded by the page, whatever the sizes of the file and its lines. An
 * empty last line (after a final line feed) is no line.
 */
export async function readLinePage(request: LinePageRequest): Promise<LinePage> {
  const page = createPage(request);
  for (let start = 0; start < request.sizeBytes; start += CHUNK_BYTES) {
    request.signal.throwIfAborted();
    const chunk = Buffer.from(await request.read({ start, length: CHUNK_BYTES }));
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

function createPage({ from, maxLines, maxLineBytes, maxBytes }: LinePageRequest) {
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
    if (!isWanted() || currentKept >= maxLineBytes) return;
    // A copy, so that a short line does not keep a whole chunk in memory.
    const kept = Buffer.from(piece.subarray(0, maxLineBytes - currentKept));
    currentKept += kept.length;
    current.push(kept);
  }

  function endLine(): void {
    if (isWanted()) {
      const bytes = Buffer.concat(current);
      if (lines.length > 0 && pageBytes + bytes.length > maxBytes) full = true;
      else {
        lines.push({ bytes, totalBytes: currentTotal });
        pageBytes += bytes.length;
        full = lines.length >= maxLines;
      }
    }
    lineNumber += 1;
    current = [];
    currentKept = 0;
    currentTotal = 0;
  }

  return {
    lines,
    push(chunk: Buffer): void {
      let at = 0;
      for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, at)) {
        add(chunk.subarray(at, end));
        endLine();
        at = end + 1;
      }
      if (at < chunk.length) add(chunk.subarray(at));
    },
    /** The page is full, and the file has gone on after it. */
    isPast: () => full && (currentTotal > 0 || lineNumber > from + lines.length),
    end(): number {
      if (currentTotal > 0) endLine();
      return lineNumber - 1;
    },
  };
}
