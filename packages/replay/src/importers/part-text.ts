import { estimateTokens } from '@longhaul/context/engine';
import type {
  FileContent,
  FilePart,
  ImageContent,
  Part,
  ToolOutputContent,
  ToolPart,
} from '@longhaul/protocol';
import { compactJson } from './json-fields.ts';

/** Returns the arguments of a call as the model wrote them, or else as compact JSON. */
export function argumentsText(part: ToolPart): string {
  return part.inputText ?? compactJson(part.input) ?? '{}';
}

export function textOf(output: readonly ToolOutputContent[]): string {
  return output
    .filter((content) => content.type === 'text')
    .map((content) => content.text)
    .join('\n');
}

export function filePart(content: ImageContent | FileContent): FilePart {
  return {
    type: 'file',
    data: content.data,
    mediaType: content.mediaType ?? 'image/png',
    filename: content.type === 'file' ? content.filename : undefined,
  };
}

/** Estimates the tokens of a part, for `Message.tokenCount`. */
export function partTokens(part: Part): number {
  if (part.type === 'file') return estimateTokens(part.filename ?? part.mediaType);
  if (part.type === 'patch') return 0;
  if (part.type !== 'tool') return estimateTokens(part.text);
  return estimateTokens(part.name + argumentsText(part) + textOf(part.output ?? []));
}

/** Returns the number of characters that a part holds in memory. */
export function partSize(part: Part): number {
  if (part.type === 'file') return part.data.length;
  if (part.type === 'patch') return JSON.stringify(part).length;
  return part.type === 'tool'
    ? argumentsText(part).length + contentSize(part.output ?? [])
    : part.text.length;
}

export function contentSize(output: readonly ToolOutputContent[]): number {
  return output.reduce((sum, content) => sum + ('text' in content ? content.text : content.data).length, 0);
}
