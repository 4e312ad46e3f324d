import { type ChatContentPart, type ChatMessage, ERROR_TRAITS, type LonghaulError } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import { MESSAGE_ANSWERS } from './answers/messages-answer.ts';
import { chatContent, chatTool, countOf, plainText, recordsOf, textOf } from './fields.ts';
import { anthropicMessages, type BlockOrigin } from './message-blocks.ts';
import type { Way, WayRequest } from './way.ts';

/** Anthropic's Messages API. llama.cpp, LM Studio, Ollama and vLLM serve it as well. */
export const MESSAGES: Way = {
  path: '/v1/messages',
  conversationField: 'messages',
  limitField: 'max_tokens',
  streamsByDefault: false,
  wantsFormat: ({ output_format: format, output_config: config }) =>
    isRecord(format) || (isRecord(config) && isRecord(config['format'])),
  read,
  answers: MESSAGE_ANSWERS,
  usageOf(json) {
    const answer = isRecord(json['message']) ? json['message'] : json;
    const usage = isRecord(answer['usage']) ? answer['usage'] : {};
    const input = ['input_tokens', 'cache_read_input_tokens', 'cache_creation_input_tokens'];
    const promptTokens = input.reduce((sum, field) => sum + (countOf(usage[field]) ?? 0), 0);
    const completionTokens = countOf(usage['output_tokens']);
    if (promptTokens > 0) return { promptTokens, completionTokens: completionTokens ?? 0 };
    return completionTokens === undefined ? undefined : { completionTokens };
  },
  errorBody,
  errorEvent: (error) => `event: error\ndata: ${JSON.stringify(errorBody(error))}\n\n`,
};

function errorBody({ code, message }: LonghaulError): object {
  const { status } = ERROR_TRAITS[code];
  const isOwn = status >= 400 && status < 500;
  const type = code === 'queue_full' ? 'rate_limit_error' : isOwn ? 'invalid_request_error' : 'api_error';
  return { type: 'error', error: { type, message } };
}

function read(json: Json): WayRequest {
  const system = plainText(json['system']);
  const head: ChatMessage[] = system === '' ? [] : [{ role: 'system', content: system }];
  const origins = new Map<ChatMessage, BlockOrigin>();
  for (const message of recordsOf(json['messages'])) addMessages(origins, message);
  return {
    messages: [...head, ...origins.keys()],
    tools: Array.isArray(json['tools'])
      ? recordsOf(json['tools']).map((tool) => chatTool(tool, tool['input_schema'] ?? tool))
      : undefined,
    maxTokens: countOf(json['max_tokens']),
    unhelped: undefined,
    write: (messages) => anthropicMessages(messages, { origins, head: new Set(head) }),
  };
}

/** A message of the user can contain several tool results and a question, which are messages of their own in a chat. */
function addMessages(origins: Map<ChatMessage, BlockOrigin>, original: Json): void {
  const { role, content } = original;
  const blocks = typeof content === 'string' ? [{ type: 'text', text: content }] : recordsOf(content);
  if (role === 'assistant') return void origins.set(assistantMessage(blocks), { role, blocks, original });
  const results = blocks.filter(({ type }) => type === 'tool_result');
  for (const block of results) origins.set(toolMessage(block), { role: 'user', blocks: [block] });
  const others = blocks.filter(({ type }) => type !== 'tool_result');
  if (others.length === 0 && results.length > 0) return;
  const own = role === 'system' ? 'system' : 'user';
  const message: ChatMessage = { role: own, content: chatContent(others, partOf) };
  origins.set(message, { role: own, blocks: others, ...(results.length === 0 ? { original } : {}) });
}

function assistantMessage(blocks: readonly Json[]): ChatMessage {
  const calls = blocks
    .filter(({ type }) => type === 'tool_use')
    .map((block) => ({
      id: textOf(block['id']),
      type: 'function' as const,
      function: { name: textOf(block['name']), arguments: JSON.stringify(block['input'] ?? {}) },
    }));
  const text = blocks
    .filter(({ type }) => !UNSEEN.has(type))
    .map((block) => plainText([block]))
    .join('\n');
  const content = text === '' && calls.length > 0 ? null : text;
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

/** Calls are counted as calls, and servers drop earlier thoughts. */
const UNSEEN: ReadonlySet<unknown> = new Set(['tool_use', 'thinking', 'redacted_thinking']);

function toolMessage(block: Json): ChatMessage {
  return {
    role: 'tool',
    tool_call_id: textOf(block['tool_use_id']),
    content: plainText(block['content'] ?? ''),
  };
}

function partOf({ type, text, source }: Json): ChatContentPart | undefined {
  if (typeof text === 'string') return { type: 'text', text };
  if (type !== 'image' || !isRecord(source)) return { type: 'text', text: JSON.stringify({ type, source }) };
  const { url, media_type: media, data } = source;
  const address = typeof url === 'string' ? url : `data:${textOf(media)};base64,${textOf(data)}`;
  return { type: 'image_url', image_url: { url: address } };
}
