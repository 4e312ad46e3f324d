import { type JsonValue, LonghaulError, type Part } from '@longhaul/protocol';
import type { Media } from '../media/count-media.ts';
import {
  callPart,
  isRecord,
  type MessageFormat,
  type MessageReading,
  mediaPart,
  opaquePart,
  type PartChange,
  stringIn,
  type ToolAnswer,
  textPart,
} from './message-format.ts';

/** The part of an OpenAI Chat Completions message that is read here. The official client's types fit. */
export interface OpenAiChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: readonly unknown[];
  tool_call_id?: string;
  refusal?: string | null;
  reasoning_content?: string;
}

/**
 * Reads and writes messages of OpenAI's Chat Completions, as the official client and all compatible servers accept
 * them.
 *
 * @example
 * createContextSession({ format: openAiChatFormat<OpenAI.ChatCompletionMessageParam>(), windowTokens, maxOutputTokens
 * });
 */
export function openAiChatFormat<M extends OpenAiChatMessage = OpenAiChatMessage>(): MessageFormat<M> {
  // The caller's type describes the same wire form more exactly. Every message that is written below is valid in it.
  const own = (message: OpenAiChatMessage) => message as M;
  return {
    read: readMessage,
    rewrite: (message, changes) => own(rewriteMessage(message, changes)),
    userMessage: (text) => own({ role: 'user', content: text }),
    assistantMessage: (text) => own({ role: 'assistant', content: text }),
    toolMessage: ({ callId }, text) => own({ role: 'tool', tool_call_id: callId, content: text }),
  };
}

function readMessage(message: OpenAiChatMessage): MessageReading {
  const { role } = message;
  if (role === 'system' || role === 'developer') return { role: 'system', text: textOf(message.content) };
  if (role === 'tool') {
    const output = contentParts(message.content).map(toOutput);
    // This wire form has no flag for errors.
    const isError = /^\W*error\b/i.test(textOf(message.content));
    return { role, results: [{ callId: message.tool_call_id ?? '', output, isError }] };
  }
  if (!ROLES.includes(role))
    throw new LonghaulError(
      'invalid_request',
      `Unknown role ${JSON.stringify(role)}. Use one of: ${ROLES.join(', ')}.`,
    );
  const parts = contentParts(message.content).map(readContent);
  if (role === 'user') return { role, parts };
  // Other fields of a message become parts after the calls, where nothing is changed.
  const others = [message.reasoning_content, message.refusal].filter((text) => typeof text === 'string');
  const calls = (message.tool_calls ?? []).map(readCall);
  return { role: 'assistant', parts: [...parts, ...calls, ...others.map(opaquePart)] };
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

/** A content of one string is one part. */
function contentParts(content: unknown): unknown[] {
  if (Array.isArray(content) && content.length > 0) return content;
  return [{ type: 'text', text: typeof content === 'string' ? content : '' }];
}

function readContent(part: unknown): Part {
  if (!isRecord(part)) return opaquePart(String(part));
  const text = stringIn(part, 'text');
  if (part['type'] === 'text' && text !== undefined) return textPart(text);
  const media = readMedia(part);
  return media === undefined ? opaquePart(JSON.stringify(part)) : mediaPart(media);
}

function readMedia(part: Record<string, unknown>): Media | undefined {
  const { image_url: image, file, input_audio: audio } = part;
  switch (part['type']) {
    case 'image_url': {
      const url = typeof image === 'string' ? image : isRecord(image) ? stringIn(image, 'url') : undefined;
      const detail = isRecord(image) ? detailIn(image) : {};
      return { mediaType: 'image/*', ...dataIn(url), ...detail };
    }
    case 'file':
      return {
        mediaType: 'application/pdf',
        ...dataIn(isRecord(file) ? stringIn(file, 'file_data') : undefined),
      };
    case 'input_audio': {
      const data = isRecord(audio) ? stringIn(audio, 'data') : undefined;
      return { mediaType: 'audio/*', ...(data === undefined ? {} : { data }) };
    }
    default:
      return undefined;
  }
}

/** A link has no data. */
function dataIn(url: string | undefined): Partial<Media> {
  if (url === undefined || !url.startsWith('data:')) return {};
  const mediaType = /^data:([^;,]+)/.exec(url)?.[1];
  return mediaType === undefined ? { data: url } : { data: url, mediaType };
}

function detailIn(image: Record<string, unknown>): Partial<Media> {
  const detail = image['detail'];
  return detail === 'low' || detail === 'high' ? { detail } : {};
}

function toOutput(part: unknown): ToolAnswer['output'][number] {
  const read = readContent(part);
  if (read.type === 'file') return read;
  return { type: 'text', text: 'text' in read ? read.text : '' };
}

function textOf(content: unknown): string {
  return contentParts(content)
    .map((part) => (isRecord(part) ? (stringIn(part, 'text') ?? '') : ''))
    .join('\n');
}

function readCall(call: unknown): Part {
  if (!isRecord(call)) return opaquePart(JSON.stringify(call));
  const callId = stringIn(call, 'id') ?? '';
  const { function: called, custom } = call;
  if (isRecord(called)) {
    return callPart({ callId, name: stringIn(called, 'name') ?? '' }, parseArguments(called['arguments']));
  }
  if (isRecord(custom)) {
    return callPart({ callId, name: stringIn(custom, 'name') ?? '' }, stringIn(custom, 'input') ?? '');
  }
  return opaquePart(JSON.stringify(call));
}

/** Models also send arguments that are not JSON. They are kept as text. */
function parseArguments(text: unknown): JsonValue {
  if (typeof text !== 'string') return {};
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return text;
  }
}

function rewriteMessage(
  message: OpenAiChatMessage,
  changes: ReadonlyMap<number, PartChange>,
): OpenAiChatMessage {
  if (message.role === 'tool') {
    const change = changes.get(0);
    return change !== undefined && 'text' in change ? { ...message, content: change.text } : message;
  }
  const texts = contentParts(message.content).length;
  const content = Array.isArray(message.content)
    ? message.content.map((part, index) => withText(part, changes.get(index)))
    : changedText(message.content, changes.get(0));
  const calls = message.tool_calls?.map((call, index) => withInput(call, changes.get(texts + index)));
  return { ...message, content, ...(calls === undefined ? {} : { tool_calls: calls }) };
}

function changedText(content: unknown, change: PartChange | undefined): unknown {
  return change !== undefined && 'text' in change ? change.text : content;
}

function withText(part: unknown, change: PartChange | undefined): unknown {
  return isRecord(part) && change !== undefined && 'text' in change ? { ...part, text: change.text } : part;
}

function withInput(call: unknown, change: PartChange | undefined): unknown {
  if (!isRecord(call) || change === undefined || !('input' in change)) return call;
  const { function: called, custom } = call;
  if (isRecord(called)) {
    return { ...call, function: { ...called, arguments: argumentsText(change.input) } };
  }
  return isRecord(custom) ? { ...call, custom: { ...custom, input: argumentsText(change.input) } } : call;
}

function argumentsText(input: JsonValue): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}
