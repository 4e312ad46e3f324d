import { isBlank, type Message } from '@longhaul/protocol';

/** Returns the text of an answer, or '' without one. */
export function answerText(message: Message | undefined): string {
  return (message?.parts ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('');
}

/** Returns the newest text of the model, or '' without one. */
export function lastAnswer(messages: readonly Message[]): string {
  const isAnswer = (message: Message) => message.role === 'assistant' && !isBlank(answerText(message));
  return answerText(messages.findLast(isAnswer));
}
