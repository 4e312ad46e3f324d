import { LonghaulError, type Part } from '@longhaul/protocol';
import {
  argumentsText,
  contentBlocks,
  looksFailed,
  readArguments,
  readBlock,
  readOutput,
  textOfContent,
  withTexts,
} from './content-blocks.ts';
import {
  callPart,
  isRecord,
  type MessageFormat,
  type MessageReading,
  opaquePart,
  type PartChange,
  stringIn,
  textsOf,
} from './message-format.ts';

/** The part of an OpenAI Chat Completions message that is read here. The official client's types fit. */
export interface OpenAiChatMessage {
  role: string;
  content?: unknown;
  tool_calls?: readonly unknown[];
  tool_call_id?: string;
  refusal?: string | null;
  reasoning_content?: string;
}

/**
 * Reads and writes messages of OpenAI's Chat Completions, as the official client and all compatible servers accept
 * them.
 *
 * @example
 * createContextSession({ format: openAiChatFormat<OpenAI.ChatCompletionMessageParam>(), windowTokens, maxOutputTokens
 * });
 */
export function openAiChatFormat<M extends OpenAiChatMessage = OpenAiChatMessage>(): MessageFormat<M> {
  // The caller's type describes the same wire form more exactly. Every message that is written below is valid in it.
  const own = (message: OpenAiChatMessage) => message as M;
  return {
    read: readMessage,
    rewrite: (message, changes) => own(rewriteMessage(message, changes)),
    userMessage: (text) => own({ role: 'user', content: text }),
    assistantMessage: (text) => own({ role: 'assistant', content: text }),
    toolMessage: ({ callId }, text) => own({ role: 'tool', tool_call_id: callId, content: text }),
  };
}

function readMessage(message: OpenAiChatMessage): MessageReading {
  const { role } = message;
  if (role === 'system' || role === 'developer')
    return { role: 'system', text: textOfContent(message.content) };
  if (role === 'tool') {
    const { content, tool_call_id: callId = '' } = message;
    return { role, results: [{ callId, output: readOutput(content), isError: looksFailed(content) }] };
  }
  if (!ROLES.includes(role))
    throw new LonghaulError(
      'invalid_request',
      `Unknown role ${JSON.stringify(role)}. Use one of: ${ROLES.join(', ')}.`,
    );
  const parts = contentBlocks(message.content).map(readBlock);
  if (role === 'user') return { role, parts };
  // Other fields of a message become parts after the calls, where nothing is changed.
  const others = [message.reasoning_content, message.refusal].filter((text) => typeof text === 'string');
  const calls = (message.tool_calls ?? []).map(readCall);
  return { role: 'assistant', parts: [...parts, ...calls, ...others.map(opaquePart)] };
}

const ROLES = ['system', 'developer', 'user', 'assistant', 'tool'];

function readCall(call: unknown): Part {
  if (!isRecord(call)) return opaquePart(JSON.stringify(call));
  const { id, function: called, custom } = call;
  if (isRecord(called)) return readArguments(id, called['name'], called['arguments']);
  if (isRecord(custom)) {
    const callId = stringIn(call, 'id') ?? '';
    return callPart({ callId, name: stringIn(custom, 'name') ?? '' }, stringIn(custom, 'input') ?? '');
  }
  return opaquePart(JSON.stringify(call));
}

function rewriteMessage(
  message: OpenAiChatMessage,
  changes: ReadonlyMap<number, PartChange>,
): OpenAiChatMessage {
  if (message.role === 'tool') {
    const change = changes.get(0);
    return change !== undefined && 'text' in change ? { ...message, content: change.text } : message;
  }
  const texts = contentBlocks(message.content).length;
  const content = withTexts(message.content, textsOf(changes));
  const calls = message.tool_calls?.map((call, index) => withInput(call, changes.get(texts + index)));
  return { ...message, content, ...(calls === undefined ? {} : { tool_calls: calls }) };
}

function withInput(call: unknown, change: PartChange | undefined): unknown {
  if (!isRecord(call) || change === undefined || !('input' in change)) return call;
  const { function: called, custom } = call;
  if (isRecord(called)) {
    return { ...call, function: { ...called, arguments: argumentsText(change.input) } };
  }
  return isRecord(custom) ? { ...call, custom: { ...custom, input: argumentsText(change.input) } } : call;
}
