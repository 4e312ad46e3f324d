import type { LanguageModelV4FilePart, LanguageModelV4TextPart } from '@ai-sdk/provider';
import type { ModelInfo } from '@longhaul/core';
import {
  type FileContent,
  type ImageContent,
  parseBlobReference,
  type TextContent,
} from '@longhaul/protocol';
import type { WireProfile } from '../wire-profile.ts';

export type PromptPart = LanguageModelV4TextPart | LanguageModelV4FilePart;

/** First characters of base64 text and the media types they indicate. */
const SIGNATURES: readonly [prefix: string, mediaType: string][] = [
  ['iVBOR', 'image/png'],
  ['/9j/', 'image/jpeg'],
  ['R0lGOD', 'image/gif'],
  ['UklGR', 'image/webp'],
  ['JVBERi', 'application/pdf'],
];

/**
 * Converts content of the view to the SDK's form. Content that the model or the wire format does not accept becomes a
 * line of text. The view has already removed most of it; this keeps the rest from failing the request.
 */
export function toPromptPart(
  content: TextContent | ImageContent | FileContent,
  accepts: ModelInfo['accepts'],
  profile: WireProfile,
): PromptPart {
  if (content.type === 'text') return { type: 'text', text: content.text };
  const { data, mediaType } = describeMedia(content);
  const filename = content.type === 'file' ? content.filename : undefined;
  const part: LanguageModelV4FilePart = {
    type: 'file',
    mediaType,
    data: { type: 'data', data },
    filename,
  };
  if (parseBlobReference(content.data) !== undefined) return omitted(mediaType, filename);
  if (mediaType.startsWith('image/')) {
    return accepts.images && profile.imageTypes.has(mediaType) ? part : omitted(mediaType, filename);
  }
  if (mediaType.startsWith('text/')) return inlineText(data, filename);
  return accepts.files && mediaType === 'application/pdf' ? part : omitted(mediaType, filename);
}

/** Returns the bytes in base64, as they are sent. */
export function mediaData(content: ImageContent | FileContent): string {
  return describeMedia(content).data;
}

export function describeMedia(content: ImageContent | FileContent): { data: string; mediaType: string } {
  const url = /^data:([^;,]*)[^,]*;base64,/.exec(content.data);
  const data = url === null ? content.data : content.data.slice(url[0].length);
  const signature = SIGNATURES.find(([prefix]) => data.startsWith(prefix))?.[1];
  const declared = content.mediaType ?? url?.[1];
  // For images, the bytes take precedence over the declared type: servers compare the two and refuse a mismatch.
  const isImage = content.type === 'image' || declared?.startsWith('image/') === true;
  const mediaType =
    (isImage ? (signature ?? declared) : (declared ?? signature)) ?? 'application/octet-stream';
  return { data, mediaType: mediaType.toLowerCase() };
}

function inlineText(base64: string, filename: string | undefined): PromptPart {
  // Not `atob`: it throws on invalid base64, and a request must not fail because of it.
  const text = Buffer.from(base64, 'base64').toString('utf8');
  return { type: 'text', text: filename === undefined ? text : `${filename}:\n${text}` };
}

function omitted(mediaType: string, filename: string | undefined): PromptPart {
  const name = filename === undefined ? '' : ` "${filename}"`;
  return {
    type: 'text',
    text: `[A file${name} of type ${mediaType} was left out; this model does not accept it.]`,
  };
}
