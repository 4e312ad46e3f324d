import type { ChatContentPart, ChatMessage } from '@longhaul/protocol';
import { z } from 'zod';
import { type ApiError, invalidRequest } from '../api-error.ts';
import { pieces } from '../completion.ts';
import type { FinalReply } from '../reply.ts';
import { type Answer, compactedText, isSealed, namedEvent, sealedSummary, type Wire } from './wire.ts';

/** OpenAI's Responses. Nothing is stored, so reasoning comes back only in the encrypted form. */
export const RESPONSES_WIRE: Wire = {
  path: '/v1/responses',
  toChat,
  complaint,
  compact: () => undefined,
  refusal: () =>
    invalidRequest(
      'Your input exceeds the context window of this model. Please adjust your input and try again.',
      'input',
      'context_length_exceeded',
    ),
  errorBody: (error) => error.body,
  stream,
  whole: (answer) => finalResponse(answer, outputOf(answer.reply)),
  errorEvent: ({ body: { error } }: ApiError) => namedEvent({ ...error, type: 'error', sequence_number: 0 }),
};

/** The operation that summarises an input: the user's messages stay, and one item stands for the rest. */
export const COMPACT_WIRE: Wire = {
  ...RESPONSES_WIRE,
  path: '/v1/responses/compact',
  toChat: (body) => toChat({ ...Object(body), store: false }),
  complaint: (body) => complaint({ ...Object(body), store: false }),
  compact(body, chat, tokens) {
    const { input } = requestSchema.parse({ ...Object(body), store: false });
    const sealed = sealedSummary(chat);
    return {
      id: `resp_${sealed}`,
      object: 'response.compaction',
      output: [
        ...input.filter((each) => 'role' in each && each.role === 'user'),
        { type: 'compaction', id: `cmp_${sealed}`, encrypted_content: sealed },
      ],
      usage: { input_tokens: tokens, output_tokens: 20, total_tokens: tokens + 20 },
    };
  },
};

const ENCRYPTED = 'encrypted-by-the-script';

const part = z.looseObject({ type: z.string(), text: z.string().optional() });
const content = z.union([z.string().transform((text) => [{ type: 'input_text', text }]), z.array(part)]);
const message = z.looseObject({ role: z.enum(['user', 'assistant', 'system', 'developer']), content });
const call = z.looseObject({
  type: z.literal('function_call'),
  call_id: z.string(),
  name: z.string(),
  arguments: z.string(),
});
const callOutput = z.looseObject({
  type: z.literal('function_call_output'),
  call_id: z.string(),
  output: content,
});
const reasoning = z.looseObject({
  type: z.literal('reasoning'),
  encrypted_content: z.string(),
  summary: z.array(z.looseObject({ text: z.string() })),
});
const compaction = z.looseObject({ type: z.literal('compaction'), encrypted_content: z.string() });
const item = z.union([call, callOutput, reasoning, compaction, message]);
const requestSchema = z.looseObject({
  model: z.string(),
  instructions: z.string().nullish(),
  input: z.array(item).min(1),
  tools: z
    .array(
      z.looseObject({
        type: z.literal('function'),
        name: z.string(),
        description: z.string().nullish(),
        parameters: z.unknown(),
      }),
    )
    .optional(),
  max_output_tokens: z.int().positive().nullish(),
  stream: z.boolean().nullish(),
  store: z.literal(false),
});

type Item = z.infer<typeof item>;

function complaint(body: unknown): string | undefined {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `Invalid value for '${issue?.path.join('.')}': ${issue?.message}`;
  }
  for (const [index, each] of parsed.data.input.entries()) {
    if (each['type'] === 'compaction' && !isSealed(String(each['encrypted_content'])))
      return `The encrypted content of input[${index}] could not be verified.`;
    if (!isReasoning(each)) continue;
    if (each.encrypted_content !== ENCRYPTED)
      return `The encrypted content of input[${index}] could not be verified.`;
    const next = parsed.data.input[index + 1];
    if (next === undefined || isOutput(next) || ('role' in next && next.role !== 'assistant'))
      return `Item 'input[${index}]' of type 'reasoning' was provided without its required following item.`;
  }
  return undefined;
}

function toChat(body: unknown): unknown {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return body;
  const { model, instructions, input, tools, max_output_tokens, stream: isStream } = parsed.data;
  return {
    model,
    messages: [
      ...(instructions ? [{ role: 'system', content: instructions }] : []),
      ...toChatMessages(input),
    ],
    ...(tools && {
      tools: tools.map(({ name, description, parameters }) => ({
        type: 'function',
        function: { name, ...(description && { description }), parameters },
      })),
    }),
    ...(max_output_tokens && { max_completion_tokens: max_output_tokens }),
    stream: isStream ?? false,
  };
}

/** Items of the assistant that follow each other are one message. */
function toChatMessages(items: readonly Item[]): ChatMessage[] {
  const messages: ChatMessage[] = [];
  for (const each of items) {
    if (isOutput(each)) {
      messages.push({ role: 'tool', tool_call_id: each.call_id, content: toParts(each.output) });
    } else if ('role' in each && each.role !== 'assistant') {
      const role = each.role === 'user' ? 'user' : 'system';
      messages.push({ role, content: toParts(messageContent(each)) });
    } else {
      if (messages.at(-1)?.role !== 'assistant') messages.push({ role: 'assistant', content: null });
      const last = messages.at(-1);
      if (last !== undefined) addItem(last, each);
    }
  }
  return messages;
}

function addItem(last: ChatMessage, each: Item): void {
  if (isReasoning(each)) {
    last.reasoning_content = `${last.reasoning_content ?? ''}${each.summary.map(({ text }) => text).join('')}`;
  } else if (isCall(each)) {
    last.tool_calls = [
      ...(last.tool_calls ?? []),
      { id: each.call_id, type: 'function', function: { name: each.name, arguments: each.arguments } },
    ];
  } else {
    const before = Array.isArray(last.content) ? last.content : [];
    last.content = [...before, ...toParts(contentOf(each))];
  }
}

function isOutput(each: Item): each is z.infer<typeof callOutput> {
  return each['type'] === 'function_call_output';
}

function isCall(each: Item): each is z.infer<typeof call> {
  return each['type'] === 'function_call';
}

function isReasoning(each: Item): each is z.infer<typeof reasoning> {
  return each['type'] === 'reasoning';
}

function contentOf(each: Item): z.infer<typeof part>[] {
  if (each['type'] !== 'compaction') return messageContent(each);
  return [{ type: 'output_text', text: compactedText(String(each['encrypted_content'])) }];
}

function messageContent(each: Item): z.infer<typeof part>[] {
  const parsed = message.safeParse(each);
  return parsed.success ? parsed.data.content : [];
}

function toParts(parts: readonly z.infer<typeof part>[]): ChatContentPart[] {
  return parts.map(({ text }) => (text === undefined ? { type: 'image_url' } : { type: 'text', text }));
}

type OutputItem = { id: string; type: string; [field: string]: unknown };

function outputOf({ reasoning: thought, text, toolCalls }: FinalReply): OutputItem[] {
  return [
    ...(thought === ''
      ? []
      : [
          {
            id: 'rs_1',
            type: 'reasoning',
            encrypted_content: ENCRYPTED,
            summary: [{ type: 'summary_text', text: thought }],
          },
        ]),
    ...(text === ''
      ? []
      : [
          {
            id: 'msg_1',
            type: 'message',
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text, annotations: [] }],
          },
        ]),
    ...toolCalls.map(({ id, function: { name, arguments: json } }) => ({
      id: `fc_${id}`,
      type: 'function_call',
      call_id: id,
      name,
      arguments: json,
      status: 'completed',
    })),
  ];
}

function response({ head: { id, created, model } }: Answer, status: string, fields: Record<string, unknown>) {
  return {
    id: id.replace(/^\w+-/, 'resp_'),
    object: 'response',
    created_at: created,
    status,
    error: null,
    incomplete_details: null,
    model,
    output: [],
    ...fields,
  };
}

function finalResponse(answer: Answer, output: readonly OutputItem[]) {
  const { usage, reply } = answer;
  const reason = INCOMPLETE[reply.finishReason];
  return response(answer, reason === undefined ? 'completed' : 'incomplete', {
    output,
    ...(reason !== undefined && { incomplete_details: { reason } }),
    usage: {
      input_tokens: usage.prompt_tokens,
      input_tokens_details: usage.prompt_tokens_details,
      output_tokens: usage.completion_tokens,
      output_tokens_details: usage.completion_tokens_details,
      total_tokens: usage.total_tokens,
    },
  });
}

const INCOMPLETE: Record<string, string | undefined> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
};

function stream(answer: Answer, { chunkChars }: { chunkChars: number }): string[] {
  const output = outputOf(answer.reply);
  const final = finalResponse(answer, output);
  const events = [
    { type: 'response.created', response: response(answer, 'in_progress', {}) },
    ...output.flatMap((each, index) => itemEvents(each, index, chunkChars)),
    { type: `response.${final.status}`, response: final },
  ];
  return events.map((event, sequence_number) => namedEvent({ ...event, sequence_number }));
}

function itemEvents(each: OutputItem, output_index: number, chunkChars: number) {
  const place = { item_id: each.id, output_index };
  const { type, deltas, fields, empty } = deltasOf(each);
  return [
    { type: 'response.output_item.added', output_index, item: { ...each, ...empty } },
    ...pieces(deltas, chunkChars).map((delta) => ({ type: `${type}.delta`, ...place, ...fields, delta })),
    { type: 'response.output_item.done', output_index, item: each },
  ];
}

/** Returns the content of an item, the name of its events, and the fields in which it is empty at first. */
function deltasOf(each: OutputItem) {
  const text = (list: unknown): string => z.array(z.object({ text: z.string() })).parse(list)[0]?.text ?? '';
  switch (each.type) {
    case 'reasoning':
      return {
        type: 'response.reasoning_summary_text',
        deltas: text(each['summary']),
        fields: { summary_index: 0 },
        empty: { summary: [], encrypted_content: '' },
      };
    case 'message':
      return {
        type: 'response.output_text',
        deltas: text(each['content']),
        fields: { content_index: 0 },
        empty: { content: [], status: 'in_progress' },
      };
    default:
      return {
        type: 'response.function_call_arguments',
        deltas: String(each['arguments']),
        fields: {},
        empty: { arguments: '', status: 'in_progress' },
      };
  }
}
