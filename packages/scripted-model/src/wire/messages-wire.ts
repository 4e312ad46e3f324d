import type {
  ChatCompletionRequest,
  ChatContentPart,
  ChatFinishReason,
  ChatMessage,
  ChatToolCall,
} from '@longhaul/protocol';
import { z } from 'zod';
import { type ApiError, invalidRequest } from '../api-error.ts';
import { pieces } from '../completion.ts';
import type { FinalReply } from '../reply.ts';
import {
  type Answer,
  compactedText,
  type Excess,
  isSealed,
  namedEvent,
  sealedSummary,
  type Wire,
} from './wire.ts';

/** Anthropic's Messages. Reasoning has a signature, without which it is refused when it comes back. */
export const MESSAGES_WIRE: Wire = {
  path: '/v1/messages',
  toChat,
  complaint,
  compact,
  refusal,
  errorBody,
  stream,
  whole: ({ head, reply, usage }) => ({
    ...messageHead(head),
    content: blocksOf(reply).map(({ block, delta, deltas }) => ({ ...block, ...delta(deltas.join('')) })),
    stop_reason: STOP_REASONS[reply.finishReason],
    stop_sequence: null,
    usage: usageOf(usage),
  }),
  errorEvent: (error) => namedEvent(errorBody(error)),
};

const SIGNATURE = 'c2lnbmVkIGJ5IHRoZSBzY3JpcHQ=';

const STOP_REASONS: Record<ChatFinishReason, string> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

const MAX_BREAKPOINTS = 4;

const textBlock = z.looseObject({ type: z.literal('text'), text: z.string() });
const mediaBlock = z.looseObject({ type: z.enum(['image', 'document']), source: z.unknown() });
const resultBlock = z.looseObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.union([textBlock, mediaBlock]))]).optional(),
});
const userBlock = z.union([textBlock, mediaBlock, resultBlock]);
const assistantBlock = z.union([
  textBlock,
  z.looseObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.looseObject({ type: z.literal('compaction'), content: z.string(), encrypted_content: z.string() }),
  z.looseObject({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() }),
]);
const asBlocks = <Block extends z.ZodType>(block: Block) =>
  z.union([z.string().transform((text) => [{ type: 'text' as const, text }]), z.array(block)]);
const requestSchema = z.looseObject({
  model: z.string(),
  max_tokens: z.int().positive(),
  system: asBlocks(textBlock).optional(),
  messages: z
    .array(
      z.union([
        z.looseObject({ role: z.literal('user'), content: asBlocks(userBlock) }),
        z.looseObject({ role: z.literal('assistant'), content: asBlocks(assistantBlock) }),
      ]),
    )
    .min(1),
  tools: z
    .array(z.looseObject({ name: z.string(), description: z.string().optional(), input_schema: z.unknown() }))
    .optional(),
  stream: z.boolean().optional(),
});

type Request = z.infer<typeof requestSchema>;
type UserBlock = z.infer<typeof userBlock>;
type AssistantBlock = z.infer<typeof assistantBlock>;

function complaint(body: unknown): string | undefined {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    return `${issue?.path.join('.')}: ${issue?.message}`;
  }
  if ('context_management' in parsed.data) return 'context_management: Extra inputs are not permitted';
  const { messages } = parsed.data;
  const [first] = messages;
  if (first?.role !== 'user' && first?.content[0]?.type !== 'compaction')
    return 'messages: first message must use the "user" role';
  const breakpoints = JSON.stringify(body).split('"cache_control":{').length - 1;
  if (breakpoints > MAX_BREAKPOINTS)
    return `A maximum of 4 blocks with cache_control may be provided. Found ${breakpoints}.`;
  for (const [index, { content }] of messages.entries())
    for (const [place, block] of content.entries()) {
      const at = `messages.${index}.content.${place}`;
      if (block.type === 'text' && String(block.text).trim() === '')
        return 'messages: text content blocks must contain non-whitespace text';
      if (block.type === 'compaction' && (index > 0 || !isSealed(String(block['encrypted_content']))))
        return `${at}: the \`compaction\` block is not one of this provider, or not the first`;
      if (block.type === 'thinking' && block['signature'] !== SIGNATURE)
        return `${at}: Invalid \`signature\` in \`thinking\` block`;
      if (block.type === 'tool_result' && content.slice(0, place).some(({ type }) => type !== 'tool_result'))
        return `${at}: \`tool_result\` blocks must come first in the content of a message`;
    }
  return undefined;
}

function toChat(body: unknown): unknown {
  const parsed = requestSchema.safeParse(body);
  if (!parsed.success) return body;
  const { model, max_tokens, system, messages, tools, stream: isStream } = parsed.data;
  return {
    model,
    max_tokens,
    messages: [
      ...(system === undefined
        ? []
        : [{ role: 'system', content: system.map(({ text }) => text).join('\n') }]),
      ...messages.flatMap(toChatMessages),
    ],
    ...(tools && {
      tools: tools.map(({ name, description, input_schema }) => ({
        type: 'function',
        function: { name, ...(description && { description }), parameters: input_schema },
      })),
    }),
    stream: isStream ?? false,
  };
}

function toChatMessages(message: Request['messages'][number]): ChatMessage[] {
  if (message.role === 'assistant') return [toAssistantMessage(message.content)];
  const results = message.content.flatMap((block): ChatMessage[] =>
    block.type === 'tool_result' && 'tool_use_id' in block
      ? [{ role: 'tool', tool_call_id: String(block.tool_use_id), content: toParts(resultContent(block)) }]
      : [],
  );
  const rest = message.content.filter(({ type }) => type !== 'tool_result');
  return [...results, ...(rest.length === 0 ? [] : [{ role: 'user' as const, content: toParts(rest) }])];
}

function resultContent({ content = [] }: z.infer<typeof resultBlock>): UserBlock[] {
  return typeof content === 'string' ? [{ type: 'text', text: content }] : content;
}

function toParts(blocks: readonly UserBlock[]): ChatContentPart[] {
  return blocks.map((block) =>
    block.type === 'text' ? { type: 'text', text: String(block.text) } : { type: 'image_url' },
  );
}

function toAssistantMessage(blocks: readonly AssistantBlock[]): ChatMessage {
  const texts: ChatContentPart[] = [];
  const calls: ChatToolCall[] = [];
  let reasoning = '';
  for (const block of blocks) {
    if (block.type === 'text') texts.push({ type: 'text', text: String(block.text) });
    else if (block.type === 'compaction')
      texts.push({ type: 'text', text: compactedText(String(block.encrypted_content)) });
    else if (block.type === 'thinking') reasoning += block.thinking;
    else if (block.type === 'tool_use') {
      const { id, name, input } = block;
      calls.push({
        id: String(id),
        type: 'function',
        function: { name: String(name), arguments: JSON.stringify(input) },
      });
    }
  }
  return {
    role: 'assistant',
    content: texts.length === 0 ? null : texts,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning !== '' && { reasoning_content: reasoning }),
  };
}

/** Compaction on demand: the answer is a block that stands for the whole conversation. */
function compact(body: unknown, chat: ChatCompletionRequest, tokens: number): object | undefined {
  if (!z.object({ compaction: z.object({ type: z.literal('summarize') }) }).safeParse(body).success)
    return undefined;
  const sealed = sealedSummary(chat);
  const block = {
    type: 'compaction',
    content: 'A summary.',
    encrypted_content: sealed,
    signature: SIGNATURE,
  };
  const iteration = { type: 'compaction', input_tokens: tokens, output_tokens: 20 };
  return {
    id: `msg_${sealed}`,
    type: 'message',
    role: 'assistant',
    model: chat.model,
    content: [block],
    stop_reason: 'compaction',
    stop_sequence: null,
    usage: { input_tokens: 0, output_tokens: 0, iterations: [iteration] },
  };
}

function refusal({ prompt: { promptTokens }, completionTokens, windowTokens }: Excess): ApiError {
  return invalidRequest(
    promptTokens > windowTokens
      ? `prompt is too long: ${promptTokens} tokens > ${windowTokens} maximum`
      : `input length and \`max_tokens\` exceed context limit: ${promptTokens} + ${completionTokens} > ${windowTokens}, decrease input length or \`max_tokens\` and try again`,
    null,
  );
}

const ERROR_TYPES: Record<number, string> = {
  401: 'authentication_error',
  404: 'not_found_error',
  429: 'rate_limit_error',
  500: 'api_error',
  503: 'api_error',
  529: 'overloaded_error',
};

function errorBody({ status, message }: ApiError) {
  return { type: 'error', error: { type: ERROR_TYPES[status] ?? 'invalid_request_error', message } };
}

function messageHead({ id, model }: Answer['head']) {
  return { id: id.replace(/^\w+-/, 'msg_'), type: 'message', role: 'assistant', model };
}

function usageOf({ prompt_tokens, completion_tokens, prompt_tokens_details: details }: Answer['usage']) {
  const cached = details?.cached_tokens ?? 0;
  return {
    input_tokens: prompt_tokens - cached,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: cached,
    output_tokens: completion_tokens,
  };
}

interface AnswerBlock {
  /** The block as it begins. */
  block: Record<string, unknown>;
  deltas: string[];
  /** Converts a piece of the content: to a delta of a stream, or the whole of it to fields of the block. */
  delta(piece: string): Record<string, unknown>;
  deltaType: string;
}

/** Returns the blocks of an answer. Their content is in pieces of at most `chunkChars`. */
function blocksOf(reply: FinalReply, chunkChars = Number.POSITIVE_INFINITY): AnswerBlock[] {
  const isWhole = chunkChars === Number.POSITIVE_INFINITY;
  const split = (text: string) => (isWhole ? [text] : pieces(text, chunkChars));
  return [
    ...(reply.reasoning === ''
      ? []
      : [
          {
            block: { type: 'thinking', thinking: '', signature: isWhole ? SIGNATURE : '' },
            deltas: split(reply.reasoning),
            delta: (thinking: string) => ({ thinking }),
            deltaType: 'thinking_delta',
          },
        ]),
    ...(reply.text === ''
      ? []
      : [
          {
            block: { type: 'text', text: '' },
            deltas: split(reply.text),
            delta: (text: string) => ({ text }),
            deltaType: 'text_delta',
          },
        ]),
    ...reply.toolCalls.map(({ id, function: call }) => ({
      block: { type: 'tool_use', id, name: call.name, input: {} },
      deltas: split(call.arguments),
      delta: (json: string) => (isWhole ? { input: JSON.parse(json || '{}') } : { partial_json: json }),
      deltaType: 'input_json_delta',
    })),
  ];
}

function stream({ head, reply, usage }: Answer, { chunkChars }: { chunkChars: number }): string[] {
  const { output_tokens, ...input } = usageOf(usage);
  const start = { ...messageHead(head), content: [], stop_reason: null, stop_sequence: null };
  return [
    namedEvent({ type: 'message_start', message: { ...start, usage: { ...input, output_tokens: 1 } } }),
    ...blocksOf(reply, chunkChars).flatMap(({ block, deltas, delta, deltaType }, index) => [
      namedEvent({ type: 'content_block_start', index, content_block: block }),
      ...[
        ...deltas.map((piece) => ({ type: deltaType, ...delta(piece) })),
        ...(block['type'] === 'thinking' ? [{ type: 'signature_delta', signature: SIGNATURE }] : []),
      ].map((each) => namedEvent({ type: 'content_block_delta', index, delta: each })),
      namedEvent({ type: 'content_block_stop', index }),
    ]),
    namedEvent({
      type: 'message_delta',
      delta: { stop_reason: STOP_REASONS[reply.finishReason], stop_sequence: null },
      usage: { output_tokens },
    }),
    namedEvent({ type: 'message_stop' }),
  ];
}
