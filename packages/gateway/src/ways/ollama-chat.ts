import type { ChatContentPart, ChatMessage, ChatToolCall, LonghaulError } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import { OLLAMA_ANSWERS } from './answers/ollama-answer.ts';
import { chatTool, countOf, plainText, recordsOf, textOf } from './fields.ts';
import { parsedArguments } from './parsed-arguments.ts';
import type { Way, WayRequest } from './way.ts';

/** Ollama's own API for chats. Its answers are lines of JSON. */
export const OLLAMA_CHAT: Way = {
  path: '/api/chat',
  conversationField: 'messages',
  // `options.num_predict`, which no server refuses.
  limitField: undefined,
  streamsByDefault: true,
  wantsFormat: ({ format }) => format === 'json' || isRecord(format),
  read,
  answers: OLLAMA_ANSWERS,
  usageOf(json) {
    const promptTokens = countOf(json['prompt_eval_count']);
    return promptTokens === undefined
      ? undefined
      : { promptTokens, completionTokens: countOf(json['eval_count']) ?? 0 };
  },
  errorBody,
  errorEvent: (error) => `${JSON.stringify(errorBody(error))}\n`,
};

function errorBody({ message }: LonghaulError): object {
  return { error: message };
}

function read(json: Json): WayRequest {
  const options = isRecord(json['options']) ? json['options'] : {};
  const origins = new Map<ChatMessage, Json>();
  const byId = new Map<string, Json>();
  let open: string[] = [];
  for (const [index, original] of recordsOf(json['messages']).entries()) {
    const message = messageOf(original, { index, open });
    origins.set(message, original);
    if (message.tool_call_id !== undefined) byId.set(message.tool_call_id, original);
    if (message.role === 'assistant') open = (message.tool_calls ?? []).map(({ id }) => id);
  }
  return {
    messages: [...origins.keys()],
    tools: Array.isArray(json['tools']) ? recordsOf(json['tools']).map(toolOf) : undefined,
    maxTokens: countOf(options['num_predict']),
    windowTokens: countOf(options['num_ctx']),
    unhelped: undefined,
    write: (messages) => messages.map((message) => origins.get(message) ?? newMessage(message, byId)),
  };
}

/** Calls have no ids here. Results follow them in their order. */
function messageOf(original: Json, { index, open }: { index: number; open: string[] }): ChatMessage {
  const text = textOf(original['content']);
  const role = original['role'];
  if (role === 'tool')
    return {
      role,
      tool_call_id: textOf(original['tool_call_id']) || (open.shift() ?? `result-${index}`),
      content: text,
    };
  if (role === 'assistant') {
    const calls = recordsOf(original['tool_calls']).map((call, place) =>
      callOf(call, `call-${index}-${place}`),
    );
    return calls.length === 0 ? { role, content: text } : { role, content: text || null, tool_calls: calls };
  }
  const images = Array.isArray(original['images']) ? original['images'].map(imageOf) : [];
  const content = images.length === 0 ? text : [{ type: 'text', text }, ...images];
  return { role: role === 'system' ? role : 'user', content };
}

function callOf(call: Json, id: string): ChatToolCall {
  const called = isRecord(call['function']) ? call['function'] : {};
  const input = JSON.stringify(called['arguments'] ?? {});
  return {
    id: textOf(call['id']) || id,
    type: 'function',
    function: { name: textOf(called['name']), arguments: input },
  };
}

function imageOf(data: unknown): ChatContentPart {
  return { type: 'image_url', image_url: { url: `data:image/png;base64,${textOf(data)}` } };
}

function toolOf(tool: Json) {
  const called = isRecord(tool['function']) ? tool['function'] : tool;
  return chatTool(called, called['parameters'] ?? called);
}

function newMessage(message: ChatMessage, byId: ReadonlyMap<string, Json>): Json {
  const content = plainText(message.content);
  if (message.role === 'tool') return { role: 'tool', ...byId.get(message.tool_call_id ?? ''), content };
  const calls = (message.tool_calls ?? []).map(({ function: { name, arguments: input } }) => {
    return { function: { name, arguments: parsedArguments(input) } };
  });
  return { role: message.role, content, ...(calls.length === 0 ? {} : { tool_calls: calls }) };
}
