import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatUsage,
  FinishReason,
  TokenUsage,
} from '@longhaul/protocol';

/** The fields that all chunks of a completion share. */
export interface CompletionHead {
  id: string;
  created: number;
  model: string;
}

export interface CompletionEnd {
  finishReason: ChatFinishReason;
  usage: TokenUsage;
}

type Delta = ChatCompletionChunk['choices'][number]['delta'];

export function chunkOf(
  { id, created, model }: CompletionHead,
  delta: Delta,
  finishReason: ChatFinishReason | null = null,
): ChatCompletionChunk {
  const choice = { index: 0, delta, logprobs: null, finish_reason: finishReason };
  return { id, object: 'chat.completion.chunk', created, model, choices: [choice] };
}

export function usageChunkOf(head: CompletionHead, usage: TokenUsage): ChatCompletionChunk {
  return { ...chunkOf(head, {}), choices: [], usage: toChatUsage(usage) };
}

export function completionOf(
  { id, created, model }: CompletionHead,
  { content, reasoning }: { content: string; reasoning: string },
  { finishReason, usage }: CompletionEnd,
): ChatCompletion {
  const thoughts = reasoning === '' ? {} : { reasoning_content: reasoning };
  const message = { role: 'assistant' as const, content, refusal: null, ...thoughts };
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage: toChatUsage(usage),
  };
}

export function toChatFinish(reason: FinishReason | undefined): ChatFinishReason {
  if (reason === 'length') return 'length';
  return reason === 'content-filter' ? 'content_filter' : 'stop';
}

function toChatUsage(usage: TokenUsage): ChatUsage {
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.totalTokens,
    prompt_tokens_details: { cached_tokens: usage.cacheReadTokens },
    completion_tokens_details: { reasoning_tokens: usage.reasoningTokens },
  };
}
