import type { JsonValue, Part } from '@longhaul/protocol';
import {
  callPart,
  isRecord,
  mediaPart,
  opaquePart,
  stringIn,
  type ToolAnswer,
  textPart,
} from './message-format.ts';
import { readMediaBlock } from './read-media.ts';

/** Returns the blocks of a content. A content of one string, and an empty one, is one block. */
export function contentBlocks(content: unknown): unknown[] {
  if (Array.isArray(content) && content.length > 0) return content;
  return [{ type: 'text', text: typeof content === 'string' ? content : '' }];
}

/** Reads a block that is a text or media. All others are opaque. */
export function readBlock(block: unknown): Part {
  if (!isRecord(block)) return opaquePart(String(block));
  const text = stringIn(block, 'text');
  if (text !== undefined && TEXT_TYPES.test(stringIn(block, 'type') ?? '')) return textPart(text);
  const media = readMediaBlock(block);
  return media === undefined ? opaquePart(JSON.stringify(block)) : mediaPart(media);
}

const TEXT_TYPES = /^(?:(?:in|out)put_)?text$/;

/** Reads the content of a result. */
export function readOutput(content: unknown): ToolAnswer['output'] {
  return contentBlocks(content).map((block) => {
    const part = readBlock(block);
    if (part.type === 'file') return part;
    return { type: 'text', text: 'text' in part ? part.text : '' };
  });
}

/** Returns the text of a content, without its media. */
export function textOfContent(content: unknown): string {
  return contentBlocks(content)
    .map((block) => (isRecord(block) ? (stringIn(block, 'text') ?? '') : ''))
    .join('\n');
}

/** Guesses whether a result is an error, in formats that have no flag for it. */
export function looksFailed(content: unknown): boolean {
  return /^\W*error\b/i.test(textOfContent(content));
}

/** Returns the content with other texts in some of its blocks, by their index. */
export function withTexts(content: unknown, texts: ReadonlyMap<number, string>): unknown {
  if (Array.isArray(content))
    return content.map((block: unknown, index) => {
      const text = texts.get(index);
      return isRecord(block) && text !== undefined ? { ...block, text } : block;
    });
  return texts.get(0) ?? content;
}

/** Reads a call. Models also send arguments that are not JSON. They are kept as text. */
export function readArguments(callId: unknown, name: unknown, input: unknown): Part {
  return callPart({ callId: textIn(callId), name: textIn(name) }, parsed(input));
}

function textIn(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function parsed(text: unknown): JsonValue {
  if (typeof text !== 'string') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

/** Writes arguments as a call has them. A text that is no JSON was kept as it is. */
export function argumentsText(input: JsonValue): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/**
 * The part for reasoning that only the provider can read. Encrypted reasoning is Base64, which takes about four times as
 * many tokens as the reasoning itself.
 */
export function sealedPart(sealed: string): Part {
  return opaquePart(sealed.slice(0, Math.ceil(sealed.length / 4)));
}
