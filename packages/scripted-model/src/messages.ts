import type { ChatContentPart, ChatMessage } from '@longhaul/protocol';

/** A tool call and its result. */
export interface AnsweredCall {
  id: string;
  name: string;
  /** The text that the model sent. */
  arguments: string;
  result: string;
}

/** Returns the text of a message, without media. */
export function textOf(message: ChatMessage | undefined): string {
  const content = message?.content;
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  return content.flatMap((part) => textOfPart(part) ?? []).join('\n');
}

export function textOfPart(part: ChatContentPart): string | undefined {
  if (part.type === 'text' && 'text' in part && typeof part.text === 'string') return part.text;
  return undefined;
}

export function lastUserText(messages: readonly ChatMessage[]): string {
  return textOf(messages.findLast((message) => message.role === 'user'));
}

/** Returns the text of every user message, oldest first. After a compaction, one of them is the summary. */
export function userTexts(messages: readonly ChatMessage[]): string[] {
  return messages.filter((message) => message.role === 'user').map(textOf);
}

/** Returns the calls with a result, oldest first. With `name`, only calls of that tool. */
export function toolResults(messages: readonly ChatMessage[], name?: string): AnsweredCall[] {
  const results = new Map(
    messages.flatMap((message) =>
      message.role === 'tool' && message.tool_call_id !== undefined
        ? [[message.tool_call_id, textOf(message)] as const]
        : [],
    ),
  );
  return messages
    .flatMap((message) => message.tool_calls ?? [])
    .flatMap(({ id, function: call }) => {
      const result = results.get(id);
      if (result === undefined || (name !== undefined && call.name !== name)) return [];
      return [{ id, name: call.name, arguments: call.arguments, result }];
    });
}

/** Whether the messages contain such a call, with or without a result. */
export function hasToolCall(messages: readonly ChatMessage[], name: string, argumentText = ''): boolean {
  return messages.some((message) =>
    message.tool_calls?.some(
      ({ function: call }) => call.name === name && call.arguments.includes(argumentText),
    ),
  );
}
