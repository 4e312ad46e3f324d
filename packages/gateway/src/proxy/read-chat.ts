import type { IncomingMessage } from 'node:http';
import {
  type ChatMessage,
  type ChatTool,
  isDeeperThan,
  isFrontEndTask,
  LonghaulError,
} from '@longhaul/protocol';
import { decodeWhole, isEncoded } from '../http/decode.ts';
import { definedNames } from '../mending/tool-names.ts';
import { chatWithoutNotices, mayHoldNotice, withoutNotices } from '../notices.ts';
import type { Json } from '../wire/json.ts';
import { wantsStructure } from './wants-json.ts';

/** The parts of a chat request that the gateway uses. */
export interface ChatRequest {
  /** As received. */
  body: Buffer;
  /** `body`, decompressed. */
  plain: Buffer;
  isEncoded: boolean;
  /** Empty if the request names no model. */
  model: string;
  /** Messages as received. */
  received: readonly ChatMessage[];
  /** Messages without notices of the gateway. */
  messages: readonly ChatMessage[];
  /** Notices were removed: `messages` differs from `received`. */
  hadNotices: boolean;
  tools: readonly ChatTool[] | undefined;
  /** Names of the request's tools and functions. */
  definedNames: ReadonlySet<string>;
  stream: boolean;
  hasStreamOptions: boolean;
  /** The client wants several answers (`n` over 1). Each has a window of its own, so their lengths do not add up. */
  isMultiple: boolean;
  /** The answer must follow a format such as JSON, which a notice in the text would break. */
  isStructured: boolean;
  maxTokens: number | undefined;
  chatId: string | undefined;
}

/** @throws {LonghaulError} `invalid_request` */
export async function readChat(
  body: Buffer,
  request: IncomingMessage,
  maxBytes: number,
): Promise<ChatRequest> {
  const encoding = request.headers['content-encoding'];
  const plain = await decodeWhole(body, encoding, maxBytes);
  if (plain === undefined)
    throw invalid(
      `The body cannot be read as content-encoding ${encoding}, or is larger than ${maxBytes} bytes.`,
    );
  const json = parse(plain);
  const received = messagesOf(json);
  const messages = mayHoldNotice(plain) ? received.map(cleaned) : received;
  const { model, tools, stream } = json;
  return {
    body,
    plain,
    isEncoded: isEncoded(encoding),
    model: typeof model === 'string' ? model : '',
    received,
    messages,
    hadNotices: messages.some((message, index) => message !== received[index]),
    tools: Array.isArray(tools) ? tools : undefined,
    definedNames: definedNames(json),
    stream: stream === true,
    isMultiple: (count(json['n']) ?? 1) > 1,
    isStructured: wantsStructure(json, received),
    hasStreamOptions: json['stream_options'] !== undefined,
    maxTokens: count(json['max_completion_tokens']) ?? count(json['max_tokens']),
    chatId: text(request.headers['x-openwebui-chat-id']) ?? text(json['user']),
  };
}

/** No schema or message needs so many levels. Many more would overflow the stack of recursive code. */
const MAX_LEVELS = 500;

function parse(plain: Buffer): Json {
  let value: unknown;
  try {
    value = JSON.parse(plain.toString('utf8'));
  } catch {
    throw invalid('The body is not valid JSON. Send a JSON object with "model" and "messages".');
  }
  if (isDeeperThan(value, MAX_LEVELS))
    throw invalid(`The body has more than ${MAX_LEVELS} levels of nesting.`);
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return { ...value };
  throw invalid('The body must be a JSON object with "model" and "messages".');
}

/** Does not check roles and contents: the upstream may support more of them than the gateway knows. */
function messagesOf(json: Json): ChatMessage[] {
  const { messages } = json;
  if (!Array.isArray(messages) || messages.length === 0) {
    throw invalid('"messages" must be a list of at least one message.');
  }
  const odd = messages.findIndex(
    (message) => typeof message !== 'object' || message === null || Array.isArray(message),
  );
  if (odd !== -1) throw invalid(`"messages[${odd}]" must be an object with "role" and "content".`);
  return messages;
}

/** Removes notices from a message. Returns the same object if it has none. */
function cleaned(message: ChatMessage): ChatMessage {
  const { role, content, reasoning_content: reasoning } = message;
  if (role === 'user' && typeof content === 'string' && isFrontEndTask(content)) {
    const said = chatWithoutNotices(content);
    return said === content ? message : { ...message, content: said };
  }
  if (role !== 'assistant') return message;
  const said = typeof content === 'string' ? withoutNotices(content) : withoutNoticeParts(content);
  const thought = reasoning === undefined ? undefined : withoutNotices(reasoning);
  if (said === content && thought === reasoning) return message;
  return {
    ...message,
    content: said ?? null,
    ...(thought === undefined ? {} : { reasoning_content: thought }),
  };
}

/** Returns the same list if it has no notice. */
function withoutNoticeParts(content: ChatMessage['content']): ChatMessage['content'] {
  if (!Array.isArray(content)) return content;
  const parts = content.map((part) => {
    const before = 'text' in part && typeof part.text === 'string' ? part.text : undefined;
    const text = before === undefined ? undefined : withoutNotices(before);
    return text === before ? part : { ...part, text };
  });
  return parts.some((part, index) => part !== content[index]) ? parts : content;
}

function count(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : undefined;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function invalid(message: string): LonghaulError {
  return new LonghaulError('invalid_request', message);
}
