import {
  type FileContent,
  type ImageContent,
  isObject,
  type JsonObject,
  type JsonValue,
  type Part,
  type ToolOutputContent,
} from '@longhaul/protocol';
import { objectAt, textAt } from './json-fields.ts';
import { filePart } from './part-text.ts';
import type { ReportDraft } from './report.ts';

/** An image or file with more base64 (about 20 MB of data) is replaced by a line of text. */
const MAX_MEDIA_CHARS = 28_000_000;

/** Reads content that is a string or a list of blocks: text, images and files in any of the formats. */
export function readContent(content: JsonValue | undefined, report: ReportDraft): ToolOutputContent[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }];
  if (isObject(content)) return readContent([content], report);
  if (!Array.isArray(content)) return [];
  return content.flatMap((block) => readBlock(block, report));
}

/** Reads content as the parts of a user message. */
export function readParts(content: JsonValue | undefined, report: ReportDraft): Part[] {
  return readContent(content, report).map(asPart);
}

export function asPart(content: ToolOutputContent): Part {
  return content.type === 'text' ? { type: 'text', text: content.text, state: 'done' } : filePart(content);
}

const TEXT_TYPES = new Set(['text', 'input_text', 'output_text', 'tool_output', 'refusal']);

function readBlock(block: JsonValue, report: ReportDraft): ToolOutputContent[] {
  if (typeof block === 'string') return block === '' ? [] : [{ type: 'text', text: block }];
  if (!isObject(block)) {
    report.skip('content that is neither text nor an object');
    return [];
  }
  const text = textAt(block, 'text') ?? textAt(block, 'refusal');
  if (text !== undefined && TEXT_TYPES.has(textAt(block, 'type') ?? 'text'))
    return text === '' ? [] : [{ type: 'text', text }];
  const media = readMedia(block, report);
  if (media !== undefined) return [media];
  const name = textAt(block, 'tool_name');
  if (name !== undefined) return [{ type: 'text', text: name }];
  report.lose(`content blocks of the type ${typeName(block)}`, block);
  return [];
}

/**
 * Reads an image or file in the form of Anthropic, OpenAI, Codex or pi. If it is only a URL, a line of text replaces
 * it.
 */
function readMedia(block: JsonObject, report: ReportDraft): ToolOutputContent | undefined {
  const source = objectAt(block, 'source');
  const inline = textAt(source, 'data') ?? textAt(block, 'data');
  const mediaType =
    textAt(source, 'media_type') ??
    textAt(block, 'mimeType') ??
    textAt(block, 'media_type') ??
    textAt(block, 'mime');
  if (inline !== undefined) return mediaContent(inline, mediaType ?? 'image/png', { block, report });
  const image = block['image_url'];
  const file = objectAt(block, 'file');
  const url =
    textAt(source, 'url') ??
    (typeof image === 'string' ? image : textAt(objectAt(block, 'image_url'), 'url')) ??
    textAt(file, 'file_data') ??
    textAt(block, 'url');
  if (url === undefined) return undefined;
  const data = /^data:([^;,]*)[^,]*;base64,/.exec(url.slice(0, 200));
  if (data === null) return { type: 'text', text: `[${typeName(block)} at ${url.slice(0, 500)}]` };
  return mediaContent(url.slice(data[0].length), data[1] || mediaType || 'image/png', { block, report });
}

function mediaContent(
  data: string,
  mediaType: string,
  { block, report }: { block: JsonObject; report: ReportDraft },
): ImageContent | FileContent | { type: 'text'; text: string } {
  if (data.length > MAX_MEDIA_CHARS) {
    report.skip('images and files over 20 MB: replaced by a line of text');
    return { type: 'text', text: `[${mediaType} omitted: ${data.length} characters of base64]` };
  }
  if (mediaType.startsWith('image/')) return { type: 'image', data, mediaType };
  const filename =
    textAt(block, 'filename') ?? textAt(block, 'title') ?? textAt(objectAt(block, 'file'), 'filename');
  return { type: 'file', data, mediaType, filename };
}

/** Returns the type of a block for a report, with unusual characters replaced, at most 40 characters. */
export function typeName(block: JsonObject): string {
  return (textAt(block, 'type') ?? 'unknown').replace(/[^\w./-]/g, '?').slice(0, 40);
}
