import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import * as z from 'zod';
import { textOf } from '../engine/chat-template.ts';
import type { AnswerRequest, ChatTool, Prompt } from '../engine/engine.ts';

const json = z.custom<JsonValue>(() => true);
const jsonObject = z.custom<JsonObject>(
  (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
);
const number = z.number().nullish();

const body = z.looseObject({
  messages: z
    .array(z.looseObject({ role: z.string(), content: json.optional(), tool_calls: json.optional() }))
    .min(1),
  tools: z.array(json).nullish(),
  tool_choice: json.optional(),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  max_tokens: number,
  max_completion_tokens: number,
  temperature: number,
  top_k: number,
  top_p: number,
  min_p: number,
  seed: number,
  stop: z.union([z.string(), z.array(z.string())]).nullish(),
  chat_template_kwargs: jsonObject.nullish(),
});

export interface ChatBody {
  request: Omit<AnswerRequest, 'signal'>;
  streams: boolean;
  includesUsage: boolean;
}

/** @throws {Error} What is wrong, for the client. */
export function readChatBody(text: string): ChatBody {
  const read = body.safeParse(parse(text));
  if (!read.success) {
    const [issue] = read.error.issues;
    throw new Error(
      `The request is not one of Chat Completions: ${issue?.path.join('.')}: ${issue?.message}`,
    );
  }
  const { data } = read;
  return {
    request: {
      ...promptOf(data),
      maxTokens: data.max_completion_tokens ?? data.max_tokens ?? undefined,
      temperature: data.temperature ?? undefined,
      topK: data.top_k ?? undefined,
      topP: data.top_p ?? undefined,
      minP: data.min_p ?? undefined,
      seed: data.seed ?? undefined,
      stop: typeof data.stop === 'string' ? [data.stop] : (data.stop ?? undefined),
    },
    streams: data.stream === true,
    includesUsage: data.stream_options?.include_usage === true,
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new Error('The body of the request is not JSON.', { cause });
  }
}

function promptOf({ messages, tools, tool_choice, chat_template_kwargs }: z.infer<typeof body>): Prompt {
  return {
    messages: messages.map(({ role, ...message }) => ({
      ...pickJson(message),
      role: role === 'developer' ? 'system' : role,
      content: textOf(message.content),
    })),
    tools: tool_choice === 'none' ? [] : (tools ?? []).flatMap(toTool),
    templateValues: chat_template_kwargs ?? undefined,
  };
}

/** The fields that chat templates read. */
function pickJson(message: Record<string, unknown>): Record<string, JsonValue> {
  const fields = ['tool_calls', 'tool_call_id', 'name', 'reasoning_content'];
  // The whole body is JSON.
  return Object.fromEntries(
    fields.flatMap((field) => {
      const value = message[field] as JsonValue | undefined;
      return value === undefined || value === null ? [] : [[field, value]];
    }),
  );
}

function toTool(tool: JsonValue): ChatTool[] {
  const named = isObject(tool) ? tool['function'] : undefined;
  if (!isObject(named) || typeof named['name'] !== 'string') return [];
  const { name, description, parameters } = named;
  return [
    {
      name,
      description: typeof description === 'string' ? description : '',
      parameters: isObject(parameters) ? parameters : { type: 'object' },
    },
  ];
}
