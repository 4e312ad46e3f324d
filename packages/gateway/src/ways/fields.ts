import { isTokenCount } from '@longhaul/models';
import type { ChatContentPart, ChatTool } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';

export function recordsOf(value: unknown): Json[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

export function countOf(value: unknown): number | undefined {
  return isTokenCount(value) && value > 0 ? value : undefined;
}

/** Returns the text of a content that is a text or a list of parts. Other parts count as their JSON. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content;
  return recordsOf(content)
    .map((part) => (typeof part['text'] === 'string' ? part['text'] : JSON.stringify(part)))
    .join('\n');
}

/** Returns the parts of a content as a chat has them. Undefined for a part that no model reads. */
export function chatContent(
  content: unknown,
  partOf: (part: Json) => ChatContentPart | undefined,
): string | ChatContentPart[] {
  if (typeof content === 'string') return content;
  const parts = recordsOf(content).flatMap((part) => partOf(part) ?? []);
  const texts = parts.map((part) => (part.type === 'text' && 'text' in part ? String(part.text) : undefined));
  return texts.every((text) => text !== undefined) ? texts.join('\n') : parts;
}

/** Returns a tool as a chat has it, so that its tokens are counted. */
export function chatTool(tool: Json, parameters: unknown): ChatTool {
  const name = textOf(tool['name']) || textOf(tool['type']);
  const description = textOf(tool['description']);
  return { type: 'function', function: { name, description, parameters } };
}
