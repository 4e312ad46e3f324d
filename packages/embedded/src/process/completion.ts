import type { StepEvent } from '@longhaul/core';
import type {
  ChatCompletion,
  ChatCompletionChunk,
  ChatFinishReason,
  ChatToolCall,
  ChatUsage,
} from '@longhaul/protocol';
import type { AnswerEnd } from './answer-events.ts';

type Delta = ChatCompletionChunk['choices'][number]['delta'];

/** Writes one answer in the form of Chat Completions: as chunks, or as a whole. */
export class Completion {
  readonly #id: string;
  readonly #model: string;
  readonly #created: number;
  readonly #calls: ChatToolCall[] = [];
  #text = '';
  #reasoning = '';
  #reason: ChatFinishReason | undefined;
  #end: AnswerEnd | undefined;

  constructor({ id, model, created }: { id: string; model: string; created: number }) {
    this.#id = id;
    this.#model = model;
    this.#created = created;
  }

  /** Takes an event, and returns the chunks that say it. */
  push(event: StepEvent | AnswerEnd): ChatCompletionChunk[] {
    switch (event.type) {
      case 'text-delta':
        this.#text += event.text;
        return [this.#chunk({ content: event.text })];
      case 'reasoning-delta':
        this.#reasoning += event.text;
        return [this.#chunk({ reasoning_content: event.text })];
      case 'tool-call': {
        const { callId, name, input } = event;
        const called = { name, arguments: JSON.stringify(input) };
        this.#calls.push({ id: callId, type: 'function', function: called });
        const index = this.#calls.length - 1;
        return [this.#chunk({ tool_calls: [{ index, id: callId, type: 'function', function: called }] })];
      }
      case 'finish':
        this.#reason =
          event.finishReason === 'length' ? 'length' : this.#calls.length > 0 ? 'tool_calls' : 'stop';
        return [];
      case 'end':
        this.#end = event;
        return [this.#chunk({}, this.#reason ?? 'stop')];
      default:
        return [];
    }
  }

  get usage(): ChatUsage {
    const { promptTokens = 0, outputTokens = 0, cachedTokens = 0 } = this.#end ?? {};
    return {
      prompt_tokens: promptTokens,
      completion_tokens: outputTokens,
      total_tokens: promptTokens + outputTokens,
      prompt_tokens_details: { cached_tokens: cachedTokens },
    };
  }

  /** As llama.cpp's server reports them. */
  get timings() {
    const { promptTokens = 0, cachedTokens = 0, outputTokens = 0, readMs = 0, writeMs = 0 } = this.#end ?? {};
    return {
      cache_n: cachedTokens,
      prompt_n: promptTokens - cachedTokens,
      prompt_ms: readMs,
      predicted_n: outputTokens,
      predicted_ms: writeMs,
    };
  }

  usageChunk(): ChatCompletionChunk {
    return { ...this.#base('chat.completion.chunk'), choices: [], usage: this.usage };
  }

  whole(): ChatCompletion {
    return {
      ...this.#base('chat.completion'),
      choices: [
        {
          index: 0,
          message: {
            role: 'assistant',
            content: this.#text === '' && this.#calls.length > 0 ? null : this.#text,
            refusal: null,
            ...(this.#calls.length > 0 ? { tool_calls: this.#calls } : {}),
            ...(this.#reasoning === '' ? {} : { reasoning_content: this.#reasoning }),
          },
          logprobs: null,
          finish_reason: this.#reason ?? 'stop',
        },
      ],
      usage: this.usage,
    };
  }

  #chunk(delta: Delta, finish: ChatFinishReason | null = null): ChatCompletionChunk {
    return {
      ...this.#base('chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    };
  }

  #base<Kind extends string>(object: Kind) {
    return { id: this.#id, object, created: this.#created, model: this.#model };
  }
}
