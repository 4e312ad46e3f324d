import type { LanguageModelV4Message } from '@ai-sdk/provider';
import { aiSdkFormat } from '../session/ai-sdk-format.ts';
import type { MessageFormat } from '../session/message-format.ts';

/** Reads and writes prompts as a language model of the AI SDK gets them: contents are always lists. */
export const PROMPT_FORMAT: MessageFormat<LanguageModelV4Message> = {
  ...aiSdkFormat<LanguageModelV4Message>(),
  userMessage: (text) => ({ role: 'user', content: [{ type: 'text', text }] }),
  assistantMessage: (text) => ({ role: 'assistant', content: [{ type: 'text', text }] }),
};
