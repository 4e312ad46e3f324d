import { randomUUID } from 'node:crypto';
import type { ChatCompletion, ChatCompletionChunk, ChatUsage } from '@longhaul/protocol';
import type { PromptCount } from './prompt-counter.ts';
import { type FinalReply, wholeCharacters } from './reply.ts';
import type { StreamOptions } from './stream-options.ts';

export interface CompletionHead {
  id: string;
  created: number;
  model: string;
}

export function newHead(model: string): CompletionHead {
  return {
    id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
    created: Math.floor(Date.now() / 1000),
    model,
  };
}

export function usageOf(prompt: PromptCount, reply: FinalReply): ChatUsage {
  return {
    prompt_tokens: prompt.promptTokens,
    completion_tokens: reply.completionTokens,
    total_tokens: prompt.promptTokens + reply.completionTokens,
    prompt_tokens_details: { cached_tokens: prompt.cachedTokens },
    completion_tokens_details: { reasoning_tokens: reply.reasoningTokens },
  };
}

/** Returns the answer as one object. */
export function toCompletion(head: CompletionHead, reply: FinalReply, usage: ChatUsage): ChatCompletion {
  const { reasoning, text, toolCalls, finishReason } = reply;
  return {
    ...head,
    object: 'chat.completion',
    choices: [
      {
        index: 0,
        message: {
          role: 'assistant',
          content: text === '' && toolCalls.length > 0 ? null : text,
          refusal: null,
          ...(toolCalls.length > 0 && { tool_calls: toolCalls }),
          ...(reasoning !== '' && { reasoning_content: reasoning }),
        },
        logprobs: null,
        finish_reason: finishReason,
      },
    ],
    usage,
  };
}

/** Returns the answer as a stream: the role, the deltas, the finish reason, and the usage if requested. */
export function toChunks(
  head: CompletionHead,
  reply: FinalReply,
  usage: ChatUsage,
  { chunkChars, includeUsage }: StreamOptions,
): ChatCompletionChunk[] {
  const chunk = (
    delta: Delta,
    finishReason: FinalReply['finishReason'] | null = null,
  ): ChatCompletionChunk => ({
    ...head,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
    ...(includeUsage && { usage: null }),
  });
  const chunks = [
    chunk({ role: 'assistant', content: '' }),
    ...deltas(reply, chunkChars).map((delta) => chunk(delta)),
  ];
  chunks.push(chunk({}, reply.finishReason));
  if (includeUsage) chunks.push({ ...chunk({}), choices: [], usage });
  return chunks;
}

type Delta = ChatCompletionChunk['choices'][number]['delta'];

function deltas({ reasoning, text, toolCalls }: FinalReply, chunkChars: number): Delta[] {
  return [
    ...pieces(reasoning, chunkChars).map((piece) => ({ reasoning_content: piece })),
    ...pieces(text, chunkChars).map((piece) => ({ content: piece })),
    ...toolCalls.flatMap(({ id, type, function: call }, index): Delta[] => [
      { tool_calls: [{ index, id, type, function: { name: call.name, arguments: '' } }] },
      ...pieces(call.arguments, chunkChars).map((piece) => ({
        tool_calls: [{ index, function: { arguments: piece } }],
      })),
    ]),
  ];
}

/** Cuts a text into pieces of at most `chunkChars`. */
export function pieces(text: string, chunkChars: number): string[] {
  const result: string[] = [];
  let start = 0;
  while (start < text.length) {
    const limit = Math.min(start + chunkChars, text.length);
    const whole = wholeCharacters(text, limit);
    const end = whole > start ? whole : limit + 1;
    result.push(text.slice(start, end));
    start = end;
  }
  return result;
}
