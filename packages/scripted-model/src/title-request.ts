import type { ChatCompletionRequest } from '@longhaul/protocol';
import { lastUserText } from './messages.ts';
import type { PromptCount } from './prompt-counter.ts';

/** The beginning of the prompt for a title, at the beginning of a text in the body. */
const PROMPT = /:\s*"You name coding sessions\./;

/** Tokens of a title are not counted. */
export const FREE: PromptCount = { promptTokens: 0, messageTokens: 0, toolTokens: 0, cachedTokens: 0 };

const MAX_CHARS = 79;

/** Whether the agent asks for the title of a session. Such a request is no step, and no script answers it. */
export function asksForTitle(body: string): boolean {
  return PROMPT.test(body);
}

/** Returns the task in a request for a title. */
export function namedTask({ messages }: ChatCompletionRequest): string {
  return /<task>\n([\s\S]*?)\n<\/task>/.exec(lastUserText(messages))?.[1] ?? '';
}

/** The title by default: the first line of the task, which is the title that the session has already. */
export function firstLine(task: string): string {
  return (task.trim().split('\n')[0] ?? '').slice(0, MAX_CHARS);
}
