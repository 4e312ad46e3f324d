import { endBefore } from '@longhaul/context/engine';
import type { FileInfo, Tool, ToolResult, WorkspaceFiles } from '@longhaul/core';
import {
  compactSize,
  displayPath,
  groupDigits,
  plural,
  showControls,
  sizeAndLimit,
} from '@longhaul/core/tool-output';
import { isObject, type JsonValue, type ToolOutputContent } from '@longhaul/protocol';
import { decodeUtf16, utf16Of } from './decode-text.ts';
import { describeMissing } from './describe-missing.ts';
import { READ_DIALECT } from './dialect/file-dialects.ts';
import { type RecognisedMedia, recogniseMedia } from './file-type.ts';
import { type InputFields, parseInput } from './input-parser.ts';
import { type LinePage, type LinePageRequest, type PagedLine, readLinePage } from './line-pager.ts';
import { failedResult, reportRefusals, textResult } from './tool-result.ts';

export interface ReadInput {
  path: string;
  offset?: number;
  limit?: number;
}

export interface ReadOptions {
  /** Lines of one page. Default 2,000. */
  maxLines?: number;
  /** Characters shown of one line. Default 2,000. */
  maxLineLength?: number;
}

const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_PDF_BYTES = 10 * 1024 * 1024;
/** A file in UTF-16 is decoded as a whole. */
const MAX_UTF16_BYTES = 20 * 1024 * 1024;
/** A page with its line numbers and remarks. */
const MAX_PAGE_CHARS = 50_000;
const REMARK_CHARS = 600;
/** A line's number, the tab and the line feed. */
const NUMBER_CHARS = 9;

export function createReadTool(options: ReadOptions = {}): Tool<ReadInput> {
  const limits = { maxLines: options.maxLines ?? 2_000, maxLineLength: options.maxLineLength ?? 2_000 };
  return {
    name: 'read',
    aliases: READ_DIALECT.names,
    isReadOnly: true,
    schema: {
      name: 'read',
      description: `Read a file: numbered lines, up to ${limits.maxLines} per call. Shows images and PDFs.`,
      parameters: {
        type: 'object',
        properties: {
          path: { type: 'string' },
          offset: { type: 'integer', description: 'First line, from 1' },
          limit: { type: 'integer' },
        },
        required: ['path'],
      },
    },
    parse: (value) =>
      parseInput(value, READ_DIALECT, (fields) => ({ path: readPath(fields), ...readSpan(fields) })),
    execute: (input, context) =>
      reportRefusals(async () => {
        const { toolFiles: files } = context.sandbox;
        const info = await files.stat(input.path);
        if (info === undefined) return failedResult(await describeMissing(files, input.path));
        const path = await files.resolve(input.path);
        if (info.kind === 'directory') return failedResult(`${displayPath(path)} is a folder: use list.`);
        if (info.kind === 'other') return failedResult(`${displayPath(path)} is not a regular file.`);
        const start = await files.read(path, { start: 0, length: 16 });
        const media = recogniseMedia(start);
        if (media !== undefined) return readMedia(files, { path, info, media });
        const source = await openText(files, { path, info, start });
        return readText({ ...input, path }, { source, limits, signal: context.signal });
      }),
  };
}

/** Reads one path, also as an entry of an array, or as `{path}` in one. */
function readPath(fields: InputFields): string {
  const given = fields.value('path');
  if (!Array.isArray(given)) return fields.text('path');
  const paths = given.map((each) => (isObject(each) ? (each['path'] ?? each['file_path']) : each));
  if (paths.length > 1) fields.problem('`path` must be one path: make a call for each file.');
  const [path] = paths;
  if (typeof path === 'string') return path;
  fields.problem('`path` must be a string.');
  return '';
}

/** Reads the lines to show, in any form of offset and limit, or first and last line. */
function readSpan(fields: InputFields): { offset: number; limit: number | undefined } {
  const range = fields.value('range') === undefined ? [] : fields.list('range');
  const [first, last] = range.map((each) => (typeof each === 'string' ? Number(each) : each));
  // 0 means "from the start".
  const offset = Math.max(1, numberOr(first, fields.optionalInteger('offset', 0)) ?? 1);
  const end = numberOr(last, fields.optionalInteger('endLine', -1));
  const limit = fields.optionalInteger('limit', -1);
  const most = limit === undefined || limit <= 0 ? undefined : limit;
  if (end === undefined || end <= 0) return { offset, limit: most };
  if (end < offset) fields.problem(`The last line, ${end}, is before the first, ${offset}.`);
  return { offset, limit: Math.min(most ?? Number.MAX_SAFE_INTEGER, end - offset + 1) };
}

function numberOr(value: JsonValue | undefined, other: number | undefined): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) ? value : other;
}

async function readMedia(
  files: WorkspaceFiles,
  { path, info, media }: { path: string; info: FileInfo; media: RecognisedMedia },
): Promise<ToolResult> {
  const maxBytes = media.kind === 'image' ? MAX_IMAGE_BYTES : MAX_PDF_BYTES;
  const { size, limit } = sizeAndLimit(info.size, maxBytes);
  const label = `${displayPath(path)}: ${media.mediaType}, ${size}`;
  if (info.size > maxBytes) {
    return failedResult(`${label} is too large to show (at most ${limit}). Make a smaller copy with bash.`);
  }
  const data = Buffer.from(await files.read(path)).toString('base64');
  const content: ToolOutputContent =
    media.kind === 'image'
      ? { type: 'image', data, mediaType: media.mediaType }
      : { type: 'file', data, mediaType: media.mediaType, filename: path.slice(path.lastIndexOf('/') + 1) };
  return {
    title: label,
    content: [{ type: 'text', text: label }, content],
    metadata: { path, mediaType: media.mediaType, bytes: info.size },
  };
}

/** A text in UTF-8, or in bytes that are shown as it. */
interface TextSource extends Pick<LinePageRequest, 'read' | 'sizeBytes'> {
  /** Of a file that is shown in UTF-8. */
  encoding?: string;
}

async function openText(
  files: WorkspaceFiles,
  { path, info, start }: { path: string; info: FileInfo; start: Uint8Array },
): Promise<TextSource> {
  const wide =
    utf16Of(start) !== undefined && info.size <= MAX_UTF16_BYTES
      ? decodeUtf16(await files.read(path))
      : undefined;
  if (wide === undefined) return { sizeBytes: info.size, read: (range) => files.read(path, range) };
  const bytes = Buffer.from(wide.text);
  return {
    sizeBytes: bytes.length,
    read: async (range) => bytes.subarray(range.start, range.start + range.length),
    encoding: wide.encoding,
  };
}

interface TextOptions {
  source: TextSource;
  limits: Required<ReadOptions>;
  signal: AbortSignal;
}

async function readText(input: ReadInput, { source, limits, signal }: TextOptions): Promise<ToolResult> {
  const { path, offset = 1 } = input;
  const page = await readLinePage({
    from: offset,
    maxLines: Math.min(input.limit ?? limits.maxLines, limits.maxLines),
    // A character takes at most 3 bytes per UTF-16 unit.
    maxLineBytes: limits.maxLineLength * 3 + 3,
    maxBytes: MAX_PAGE_CHARS - REMARK_CHARS,
    addedBytes: NUMBER_CHARS,
    sizeBytes: source.sizeBytes,
    read: source.read,
    signal,
  });
  const name = displayPath(path);
  if (page.binary) {
    return failedResult(
      `${name} is a binary file of ${plural(source.sizeBytes, 'byte')}. Inspect it with bash (file, xxd, strings).`,
    );
  }
  if (page.totalLines === 0)
    return textResult('[empty file]', { title: `${name} (empty)`, metadata: { path } });
  if (page.lines.length === 0) {
    return failedResult(
      `offset ${offset} is past the end: ${name} has ${plural(page.totalLines ?? 0, 'line')}.`,
    );
  }
  const { text, cutLines, undecodable, hasControls } = renderLines(page.lines, {
    offset,
    maxLineLength: limits.maxLineLength,
  });
  const remarks = [pageRemark(page, { offset, sizeBytes: source.sizeBytes })];
  if (cutLines > 0)
    remarks.push(
      `[lines over ${limits.maxLineLength} chars are cut; read the rest with bash, like cut -c or grep -o]`,
    );
  if (hasControls) remarks.push('[control characters are shown as escapes like \\u001b; edit accepts them]');
  if (undecodable) remarks.push('[not valid UTF-8: undecodable bytes are shown as \ufffd]');
  if (source.encoding !== undefined) remarks.push(`[in ${source.encoding}: change it with bash]`);
  return textResult([text, ...remarks.filter((remark) => remark !== '')].join('\n'), {
    title: `${name} (${plural(page.lines.length, 'line')})`,
    metadata: { path, firstLine: offset, lines: page.lines.length },
  });
}

function pageRemark(page: LinePage, { offset, sizeBytes }: { offset: number; sizeBytes: number }): string {
  if (!page.hasMore && offset === 1) return '';
  const last = offset + page.lines.length - 1;
  const whole = page.totalLines === undefined ? `a ${compactSize(sizeBytes)} file` : String(page.totalLines);
  const next = page.hasMore ? ` Next: offset ${last + 1}` : '';
  return `[Lines ${offset}-${last} of ${whole}.${next}]`;
}

/** Renders each line as `12<tab>text`. */
function renderLines(
  lines: readonly PagedLine[],
  { offset, maxLineLength }: { offset: number; maxLineLength: number },
): { text: string; cutLines: number; undecodable: boolean; hasControls: boolean } {
  let cutLines = 0;
  let undecodable = false;
  let hasControls = false;
  const rendered = lines.map((line, index) => {
    const isWhole = line.totalBytes === line.bytes.length;
    // Decoding as a stream leaves out a character that the cut has split.
    const decoded = new TextDecoder().decode(line.bytes, { stream: !isWhole });
    undecodable ||= decoded.includes('\ufffd');
    const text = showControls(decoded.endsWith('\r') ? decoded.slice(0, -1) : decoded);
    hasControls ||= text.length !== decoded.length && text !== decoded.slice(0, -1);
    if (isWhole && text.length <= maxLineLength) return `${offset + index}\t${text}`;
    cutLines += 1;
    const size = isWhole ? `${groupDigits(text.length)} chars` : plural(line.totalBytes, 'byte');
    return `${offset + index}\t${text.slice(0, endBefore(text, maxLineLength))} [… line of ${size}]`;
  });
  return { text: rendered.join('\n'), cutLines, undecodable, hasControls };
}
