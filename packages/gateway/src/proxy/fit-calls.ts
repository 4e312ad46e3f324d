import { toToolName } from '@longhaul/models';
import type { ChatMessage, ChatToolCall } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';
import { replaceLoneSurrogates } from '../wire/lone-surrogates.ts';

const ACCEPTED = /^[a-zA-Z0-9_-]{1,64}$/;

/**
 * Returns the messages with calls that every server accepts. Models invent names such as `functions.bash`, and servers
 * that check names would refuse every later request of the chat. Names of the request's own tools stay. The same list
 * if no message needs a change; each message that needs none is the same object.
 *
 * Nothing has been checked: any value may have any type.
 */
export function fitCalls(messages: ChatMessage[], { tools }: { tools?: unknown }): ChatMessage[] {
  const own = toolNames(tools);
  const fit = (name: string) => (ACCEPTED.test(name) || own.has(name) ? name : toToolName(name));
  const fitted = messages.map((message) => fitMessage(message, fit));
  return fitted.some((message, index) => message !== messages[index]) ? fitted : messages;
}

type Fit = (name: string) => string;

function toolNames(tools: unknown): Set<unknown> {
  if (!Array.isArray(tools)) return new Set();
  return new Set(
    tools.map((tool) =>
      isRecord(tool) && isRecord(tool['function']) ? tool['function']['name'] : undefined,
    ),
  );
}

function fitMessage(message: ChatMessage, fit: Fit): ChatMessage {
  const { role, name, tool_calls: calls } = message;
  if (role === 'tool' && typeof name === 'string') {
    const fitted = fit(name);
    return fitted === name ? message : { ...message, name: fitted };
  }
  if (role !== 'assistant' || !Array.isArray(calls)) return message;
  const fitted = calls.map((call) => fitCall(call, fit));
  return fitted.some((call, index) => call !== calls[index]) ? { ...message, tool_calls: fitted } : message;
}

function fitCall(call: ChatToolCall, fit: Fit): ChatToolCall {
  if (!isRecord(call) || !isRecord(call.function)) return call;
  const { name, arguments: input } = call.function;
  const fittedName = typeof name === 'string' ? fit(name) : name;
  // The arguments are a JSON text in a JSON text, with escapes of their own.
  const fittedInput = typeof input === 'string' ? replaceLoneSurrogates(input) : input;
  if (fittedName === name && fittedInput === input) return call;
  return { ...call, function: { ...call.function, name: fittedName, arguments: fittedInput } };
}
