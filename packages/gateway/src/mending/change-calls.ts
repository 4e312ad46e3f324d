import type { ChatMessage } from '@longhaul/protocol';
import { isRecord } from '../wire/is-record.ts';

export interface CallChange {
  name: (name: string) => string;
  /** Changes the arguments: a text that should be JSON. */
  arguments: (json: string) => string;
}

/**
 * Returns the message with changed tool calls, or a changed name of the tool whose result it is: of `tool_calls` to
 * functions and custom tools, and of `function_call` and the role `function`, which preceded them. The same object if
 * nothing changes.
 *
 * Nothing has been checked: any value may have any type.
 */
export function changeCalls(message: ChatMessage, change: CallChange): ChatMessage {
  // The types omit the role.
  const role: string = message.role;
  if (role === 'tool' || role === 'function') return withText(message, 'name', change.name);
  if (role !== 'assistant') return message;
  const changed = withRecord(message, 'function_call', (called) => changeCalled(called, change));
  const { tool_calls: calls } = changed;
  if (!Array.isArray(calls)) return changed;
  const changedCalls = calls.map((call) => (isRecord(call) ? changeCall(call, change) : call));
  return changedCalls.some((call, index) => call !== calls[index])
    ? { ...changed, tool_calls: changedCalls }
    : changed;
}

function changeCall<Call extends object>(call: Call, change: CallChange): Call {
  const changed = withRecord(call, 'function', (called) => changeCalled(called, change));
  // The input of a custom tool is plain text.
  return withRecord(changed, 'custom', (called) => withText(called, 'name', change.name));
}

function changeCalled(called: object, change: CallChange): object {
  return withText(withText(called, 'name', change.name), 'arguments', change.arguments);
}

function withText<Value extends object>(value: Value, key: string, change: (text: string) => string): Value {
  const before: unknown = Reflect.get(value, key);
  const after = typeof before === 'string' ? change(before) : before;
  return after === before ? value : { ...value, [key]: after };
}

function withRecord<Value extends object>(
  value: Value,
  key: string,
  change: (record: object) => object,
): Value {
  const before: unknown = Reflect.get(value, key);
  const after = isRecord(before) ? change(before) : before;
  return after === before ? value : { ...value, [key]: after };
}
