import type { SharedV4ProviderOptions } from '@ai-sdk/provider';
import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';

const PREFIX = 'longhaul.block:';
const USES = new Set(['server_tool_use', 'mcp_tool_use']);

/** Whether a block is of a tool that Anthropic runs itself: a call, or its result. */
export function isServerBlock({ type }: JsonObject): boolean {
  return isUse(type) || (typeof type === 'string' && type.endsWith('_tool_result'));
}

/** A call arrives without its input, which follows in deltas. */
export function isUse(type: JsonValue | undefined): boolean {
  return typeof type === 'string' && USES.has(type);
}

/**
 * Returns the form in which a block is kept. No part of the clients stands for it, but redacted thinking keeps data at
 * its place in the answer, and only the model that made it gets it back.
 */
export function packBlock(block: JsonObject): JsonObject {
  return { type: 'redacted_thinking', data: `${PREFIX}${JSON.stringify(block)}` };
}

/** Whether the metadata of a reasoning part holds a packed block. */
export function holdsBlock(metadata: SharedV4ProviderOptions | undefined): boolean {
  const data = metadata?.['anthropic']?.['redactedData'];
  return typeof data === 'string' && data.startsWith(PREFIX);
}

/**
 * Returns the body of a request with its packed blocks as they were received. A call without a result is left out,
 * except at the end: a paused turn continues there. A result without its call is left out.
 */
export function unpackBlocks(body: string): string {
  if (!body.includes(PREFIX)) return body;
  const request = parseJson(body);
  if (!isObject(request) || !Array.isArray(request['messages'])) return body;
  const { messages } = request;
  const unpacked = messages.map((message) => mapBlocks(message, unpack));
  const blocks = unpacked.flatMap(contentOf).filter(isObject);
  const called = new Set(blocks.filter(({ type }) => isUse(type)).map(({ id }) => id));
  const answered = new Set(blocks.map(({ tool_use_id: id }) => id));
  const isWhole = (block: JsonObject, isLast: boolean) => {
    if (!isServerBlock(block)) return true;
    return isUse(block['type']) ? isLast || answered.has(block['id']) : called.has(block['tool_use_id']);
  };
  return JSON.stringify({
    ...request,
    messages: unpacked.map((message, index) =>
      mapBlocks(message, (block) => (isWhole(block, index === messages.length - 1) ? block : undefined)),
    ),
  });
}

function unpack(block: JsonObject): JsonObject {
  const { type, data } = block;
  if (type !== 'redacted_thinking' || typeof data !== 'string' || !data.startsWith(PREFIX)) return block;
  const kept = parseJson(data.slice(PREFIX.length));
  return isObject(kept) ? kept : block;
}

function mapBlocks(message: JsonValue, change: (block: JsonObject) => JsonObject | undefined): JsonValue {
  if (!isObject(message) || message['role'] !== 'assistant') return message;
  const content = contentOf(message).flatMap((block) => (isObject(block) ? (change(block) ?? []) : [block]));
  return Array.isArray(message['content']) ? { ...message, content } : message;
}

function contentOf(message: JsonValue): JsonValue[] {
  return isObject(message) && Array.isArray(message['content']) ? message['content'] : [];
}
