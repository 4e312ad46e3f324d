import type { Message } from '@longhaul/protocol';

/** Returns the text of an answer, or '' without one. */
export function answerText(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}
