import type { LanguageModelV4Prompt } from '@ai-sdk/provider';
import { FIELDS } from './reasoning-details.ts';

type Message = LanguageModelV4Prompt[number];

const EPHEMERAL = { anthropic: { cacheControl: { type: 'ephemeral' } } };
const CHAT_EPHEMERAL = { cache_control: { type: 'ephemeral' } };

/**
 * Sets three of the four cache breakpoints that Anthropic allows: the system text (tool schemas precede it and are
 * cached with it), the end of this request, and the end of the previous one. The cache was last written at the end of
 * the previous request; without a breakpoint there, a step of more than twenty blocks would not find it.
 *
 * https://docs.anthropic.com/en/docs/build-with-claude/prompt-caching
 */
export function markCacheBreakpoints(prompt: LanguageModelV4Prompt): void {
  const lastAnswer = prompt.findLastIndex((message) => message.role === 'assistant');
  const ends = new Set([0, lastAnswer - 1, prompt.length - 1]);
  for (const index of ends) {
    const message = prompt[index];
    if (message === undefined) continue;
    if (index === 0 && message.role !== 'system' && prompt.length > 1) continue;
    markChatMessage(message);
    message.providerOptions = { ...message.providerOptions, ...EPHEMERAL };
  }
}

/** Marks the end of a message in Chat Completions, from where compatible servers take it to Anthropic. */
function markChatMessage(message: Message): void {
  if (message.role === 'system') {
    message.providerOptions = { ...message.providerOptions, [FIELDS]: CHAT_EPHEMERAL };
    return;
  }
  const part = message.role === 'assistant' ? undefined : message.content.at(-1);
  if (part === undefined) return;
  part.providerOptions = {
    ...part.providerOptions,
    [FIELDS]: { ...part.providerOptions?.[FIELDS], ...CHAT_EPHEMERAL },
  };
}

/**
 * Moves the marks of texts into a list of one part, the only form that OpenRouter documents and that LiteLLM accepts
 * too. A mark of a tool's result stays beside its text, where both read it.
 *
 * https://openrouter.ai/docs/features/prompt-caching, https://docs.litellm.ai/docs/completion/prompt_caching
 */
export function withMarkedParts<Body extends Record<string, unknown>>(body: Body): Body {
  const { messages } = body;
  return Array.isArray(messages) ? { ...body, messages: messages.map(withMarkedPart) } : body;
}

function withMarkedPart(message: { role: string; content: unknown; cache_control?: unknown }) {
  const { cache_control, ...rest } = message;
  const { role, content } = rest;
  if (cache_control === undefined || role === 'tool' || typeof content !== 'string') return message;
  return { ...rest, content: [{ type: 'text', text: content, cache_control }] };
}
