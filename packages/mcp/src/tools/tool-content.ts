import { compactSize, plural } from '@longhaul/core/tool-output';
import { isObject, type JsonObject, type JsonValue, type ToolOutputContent } from '@longhaul/protocol';
import { recogniseMedia } from '@longhaul/tools';
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/sdk/types.js';

/** As for files that the tool `read` shows. */
const MAX_IMAGE_BYTES = 5 * 1024 * 1024;
const MAX_PDF_BYTES = 10 * 1024 * 1024;
/** Media of one result. Each image is part of every later request. */
const MAX_MEDIA = 20;

/** Returns what a server's tool has returned as content of a result of our tools. */
export function toToolContent({ content, structuredContent }: CallToolResult): ToolOutputContent[] {
  const converted = content.flatMap(convertBlock);
  const shown = limitMedia(converted);
  const hasText = content.some(({ type }) => type === 'text');
  // A server that follows the protocol repeats structured content as text.
  if (structuredContent !== undefined && !hasText)
    shown.push(text(JSON.stringify(structuredContent, null, 1)));
  return shown.length === 0 ? [text('[no content]')] : shown;
}

const STORED_CHARS = 4_000;

/** Returns structured content for programs, unless it is long. */
export function structuredMetadata({ structuredContent }: CallToolResult): JsonObject {
  if (structuredContent === undefined) return {};
  const written = JSON.stringify(structuredContent);
  const value: JsonValue = written.length > STORED_CHARS ? null : JSON.parse(written);
  return isObject(value) ? { structured: value } : {};
}

/** Returns the contents of a resource: text as it is, images and PDFs as media. */
export function toResourceContent(resource: {
  uri: string;
  mimeType?: string | undefined;
  text?: string;
  blob?: string;
}) {
  const { uri, mimeType } = resource;
  if (resource.text !== undefined) return [text(`[${uri}]\n${resource.text}`)];
  if (resource.blob !== undefined)
    return [text(`[${uri}]`), media(resource.blob, mimeType ?? 'application/octet-stream')];
  return [text(`[${uri} has no content]`)];
}

/** Returns one block of content, as of a prompt, as content for the model. */
export function convertBlock(block: ContentBlock): ToolOutputContent[] {
  switch (block.type) {
    case 'text':
      return [text(block.text)];
    case 'image':
    case 'audio':
      return [media(block.data, block.mimeType)];
    case 'resource':
      return toResourceContent(block.resource);
    case 'resource_link': {
      const { uri, name, mimeType, description } = block;
      const facts = [mimeType, description].filter((fact) => fact !== undefined && fact !== '');
      return [text(`[resource ${name}: ${uri}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}]`)];
    }
  }
}

/** What the bytes are decides, and not what the server says. */
function media(data: string, mediaType: string): ToolOutputContent {
  const bytes = Buffer.from(data, 'base64');
  const recognised = recogniseMedia(bytes);
  const label = `${recognised?.mediaType ?? mediaType}, ${compactSize(bytes.length)}`;
  if (recognised === undefined) return text(`[${label}: left out, because no model reads it]`);
  const maxBytes = recognised.kind === 'image' ? MAX_IMAGE_BYTES : MAX_PDF_BYTES;
  if (bytes.length > maxBytes) {
    return text(`[${label}: left out, because at most ${compactSize(maxBytes)} can be shown]`);
  }
  const base64 = bytes.toString('base64');
  return recognised.kind === 'image'
    ? { type: 'image', data: base64, mediaType: recognised.mediaType }
    : { type: 'file', data: base64, mediaType: recognised.mediaType };
}

/** Leaves out media above the limit of one result. */
export function limitMedia(content: readonly ToolOutputContent[]): ToolOutputContent[] {
  let count = 0;
  const kept = content.filter((part) => part.type === 'text' || ++count <= MAX_MEDIA);
  const left = count - MAX_MEDIA;
  return left > 0 ? [...kept, text(`[${plural(left, 'more image')} left out]`)] : kept;
}

function text(value: string): ToolOutputContent {
  return { type: 'text', text: value };
}
