import type { ViewAssistantMessage, ViewMessage, ViewUserMessage } from './view-message.ts';

/** Settings for `toStrictRoles`. */
export interface StrictRolesOptions {
  /** System text for a template without a system role. It becomes the beginning of the first user message. */
  system?: string;
}

/** The first message of a conversation that does not begin with a user message. */
const OPENING_TEXT = 'Continue.';
/** Separates a tool's result from a user message that arrived while the tools ran. */
export const AFTER_RESULTS_TEXT = 'I have the results.';

/**
 * Adapts the view to strict chat templates, in which user and assistant alternate and a user comes first.
 *
 * Neighbouring messages of one role become one message, with their content in order. A tool's result takes the place of
 * a user message. So a step that called tools stays a separate message, and a short assistant message separates it from
 * a user message after it. A call and its result are one part and are never separated. Pure. A message that needs no
 * change is the same object.
 */
export function toStrictRoles(
  messages: readonly ViewMessage[],
  options: StrictRolesOptions = {},
): ViewMessage[] {
  const strict: ViewMessage[] = [];
  for (const message of messages) {
    const last = strict.at(-1);
    if (last?.role === 'user' && message.role === 'user')
      strict[strict.length - 1] = joinUsers(last, message);
    else if (last?.role === 'assistant' && message.role === 'assistant' && !callsTools(last))
      strict[strict.length - 1] = joinAssistants(last, message);
    else if (last?.role === 'assistant' && message.role === 'user' && callsTools(last))
      strict.push({ role: 'assistant', content: [{ type: 'text', text: AFTER_RESULTS_TEXT }] }, message);
    else strict.push(message);
  }
  if (strict[0]?.role === 'assistant') strict.unshift(userMessage(OPENING_TEXT));
  return withSystem(strict, options.system ?? '');
}

function withSystem(messages: ViewMessage[], system: string): ViewMessage[] {
  if (system === '') return messages;
  const [first, ...rest] = messages;
  if (first?.role !== 'user') return [userMessage(system)];
  return [joinUsers(userMessage(system), first), ...rest];
}

function callsTools(message: ViewAssistantMessage): boolean {
  return message.content.some((part) => part.type === 'tool');
}

function joinUsers(first: ViewUserMessage, second: ViewUserMessage): ViewUserMessage {
  const content = joinTexts([...first.content, ...second.content]);
  const isSynthetic = first.synthetic === true && second.synthetic === true;
  return isSynthetic ? { role: 'user', synthetic: true, content } : { role: 'user', content };
}

function joinAssistants(first: ViewAssistantMessage, second: ViewAssistantMessage): ViewAssistantMessage {
  const model = first.model === second.model ? first.model : undefined;
  const content = joinTexts([...first.content, ...second.content]);
  return { role: 'assistant', content, model };
}

function userMessage(text: string): ViewUserMessage {
  return { role: 'user', content: [{ type: 'text', text }] };
}

/**
 * Joins neighbouring texts with a blank line. Many servers accept only one text in a message, or concatenate several
 * without a separator. A text with metadata for its model stays separate.
 */
export function joinTexts<Content extends { type: string }>(
  parts: readonly (Content | { type: 'text'; text: string })[],
): (Content | { type: 'text'; text: string })[] {
  const joined: (Content | { type: 'text'; text: string })[] = [];
  for (const part of parts) {
    const last = joined.at(-1);
    if (isText(part) && last !== undefined && isText(last))
      joined[joined.length - 1] = { type: 'text', text: `${last.text}\n\n${part.text}` };
    else joined.push(part);
  }
  return joined;
}

function isText(part: { type: string }): part is { type: 'text'; text: string } {
  return part.type === 'text' && !('providerMetadata' in part) && !('opaque' in part);
}
