import type { ChatContentPart, ChatMessage, ChatToolCall } from '@longhaul/protocol';
import { chatErrorBody } from '../http/send-error.ts';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import { RESPONSE_ANSWERS } from './answers/responses-answer.ts';
import { chatContent, chatTool, countOf, plainText, recordsOf, textOf } from './fields.ts';
import { responseItems } from './response-items.ts';
import type { Way, WayRequest } from './way.ts';

/** OpenAI's Responses API. llama.cpp, LM Studio, Ollama and vLLM serve it as well. */
export const RESPONSES: Way = {
  path: '/v1/responses',
  conversationField: 'input',
  limitField: 'max_output_tokens',
  streamsByDefault: false,
  wantsFormat({ text }) {
    const format = isRecord(text) ? text['format'] : undefined;
    return isRecord(format) && format['type'] !== 'text';
  },
  read,
  answers: RESPONSE_ANSWERS,
  usageOf(json) {
    const answer = isRecord(json['response']) ? json['response'] : json;
    const usage = isRecord(answer['usage']) ? answer['usage'] : {};
    const promptTokens = countOf(usage['input_tokens']);
    return promptTokens === undefined
      ? undefined
      : { promptTokens, completionTokens: countOf(usage['output_tokens']) ?? 0 };
  },
  errorBody: chatErrorBody,
  errorEvent(error) {
    const { error: body } = chatErrorBody(error);
    const event = { type: 'error', code: body.code, message: body.message, param: null };
    return `event: error\ndata: ${JSON.stringify(event)}\n\n`;
  },
};

function read(json: Json): WayRequest {
  const { instructions, input } = json;
  const head: ChatMessage[] = instructions ? [{ role: 'system', content: plainText(instructions) }] : [];
  const items = typeof input === 'string' ? [{ role: 'user', content: input }] : recordsOf(input);
  const origins = new Map<ChatMessage, Json[]>();
  for (const group of groupsOf(items)) origins.set(messageOf(group), group);
  const keeps = ['previous_response_id', 'conversation'].find((field) => json[field] != null);
  return {
    messages: [...head, ...origins.keys()],
    tools: Array.isArray(json['tools'])
      ? recordsOf(json['tools']).map((tool) => chatTool(tool, tool['parameters'] ?? tool))
      : undefined,
    maxTokens: countOf(json['max_output_tokens']),
    unhelped:
      keeps === undefined
        ? undefined
        : `the server keeps the conversation (${keeps}), so the gateway does not see it`,
    write: (messages) => responseItems(messages, { origins, head: new Set(head) }),
  };
}

/** Groups items: what the model wrote in one step is one message, like all calls of that step. */
function groupsOf(items: readonly Json[]): Json[][] {
  const groups: Json[][] = [];
  let isOpen = false;
  for (const item of items) {
    const isByModel = isFromModel(item);
    if (isByModel && isOpen) groups.at(-1)?.push(item);
    else groups.push([item]);
    isOpen = isByModel;
  }
  return groups;
}

function isFromModel(item: Json): boolean {
  const type = textOf(item['type']);
  if (type === '' || type === 'message') return item['role'] === 'assistant';
  return !isOutput(item);
}

function isOutput({ type }: Json): boolean {
  return textOf(type).endsWith('_output');
}

function messageOf(group: readonly Json[]): ChatMessage {
  const [first = {}] = group;
  if (isFromModel(first)) return assistantMessage(group);
  if (isOutput(first))
    return { role: 'tool', tool_call_id: textOf(first['call_id']), content: plainText(first['output']) };
  const role = first['role'];
  return {
    role: role === 'system' || role === 'developer' ? role : 'user',
    content: chatContent(first['content'], partOf),
  };
}

function assistantMessage(group: readonly Json[]): ChatMessage {
  const calls = group.flatMap((item) => callOf(item) ?? []);
  const text = group.map((item) => (item['type'] === 'reasoning' ? '' : otherText(item))).filter(Boolean);
  const content = text.length === 0 && calls.length > 0 ? null : text.join('\n');
  return { role: 'assistant', content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}

function callOf(item: Json): ChatToolCall | undefined {
  const id = textOf(item['call_id']);
  if (id === '') return undefined;
  const { name, arguments: input = JSON.stringify({ input: item['input'] ?? item['action'] ?? null }) } =
    item;
  return {
    id,
    type: 'function',
    function: { name: textOf(name) || textOf(item['type']), arguments: textOf(input) },
  };
}

/** An item of another kind, such as a search of the server, counts as its JSON. */
function otherText(item: Json): string {
  if (callOf(item) !== undefined) return '';
  return item['role'] === 'assistant' ? plainText(item['content']) : JSON.stringify(item);
}

function partOf({ type, text, image_url: url }: Json): ChatContentPart | undefined {
  if (typeof text === 'string') return { type: 'text', text };
  if (type === 'input_image' && typeof url === 'string') return { type: 'image_url', image_url: { url } };
  return { type: 'text', text: JSON.stringify({ type }) };
}
