import { LonghaulError, type Part } from '@longhaul/protocol';
import {
  contentBlocks,
  readBlock,
  readOutput,
  sealedPart,
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
  type ToolAnswer,
  textsOf,
  toJson,
} from './message-format.ts';

/** The part of a message of Anthropic's Messages that is read here. The official client's types fit. */
export interface AnthropicMessage {
  role: string;
  content: string | readonly unknown[];
}

/**
 * Reads and writes messages of Anthropic's Messages. The system prompt and the tools are not messages: pass them as
 * options of `fit`.
 *
 * A message of the user can have results of tools and texts. The session reads it as two messages, and `fit` joins
 * neighbours with the same role, so that roles alternate and results directly follow their calls.
 *
 * @example
 * createContextSession({ format: anthropicFormat<Anthropic.MessageParam>(), windowTokens, maxOutputTokens });
 */
export function anthropicFormat<M extends AnthropicMessage = AnthropicMessage>(): MessageFormat<M> {
  // The caller's type describes the same wire form more exactly. Every message that is written below is valid in it.
  const own = (message: AnthropicMessage) => message as M;
  return {
    read: readMessage,
    rewrite: (message, changes) => own(rewriteMessage(message, changes)),
    userMessage: (text) => own({ role: 'user', content: text }),
    assistantMessage: (text) => own({ role: 'assistant', content: text }),
    toolMessage({ callId }, text) {
      const result = { type: 'tool_result', tool_use_id: callId, content: text, is_error: true };
      return own({ role: 'user', content: [result] });
    },
    split: (message) => splitMessage(message).map(own),
    join: (messages) => joinMessages(messages).map(own),
  };
}

function readMessage({ role, content }: AnthropicMessage): MessageReading {
  if (role === 'system') return { role, text: textOfContent(content) };
  const blocks = contentBlocks(content);
  if (role === 'assistant') return { role, parts: [...blocks.map(readAnswerBlock), ...extras(blocks)] };
  if (role !== 'user')
    throw new LonghaulError(
      'invalid_request',
      `Unknown role ${JSON.stringify(role)}. Use one of: user, assistant, system.`,
    );
  const results = blocks.filter(isResult);
  if (results.length === 0) return { role, parts: [...blocks.map(readBlock), ...extras(blocks)] };
  return { role: 'tool', results: results.map(readResult) };
}

function readAnswerBlock(block: unknown): Part {
  if (!isRecord(block)) return readBlock(block);
  switch (block['type']) {
    case 'tool_use': {
      const call = { callId: stringIn(block, 'id') ?? '', name: stringIn(block, 'name') ?? '' };
      return callPart(call, toJson(block['input']));
    }
    case 'thinking':
      return opaquePart(stringIn(block, 'thinking') ?? '');
    case 'redacted_thinking':
      return sealedPart(stringIn(block, 'data') ?? '');
    default:
      return readBlock(block);
  }
}

/** Texts of documents beside their bytes become parts after all others, where nothing is changed. */
function extras(blocks: readonly unknown[]): Part[] {
  return blocks.flatMap((block) => {
    if (!isRecord(block) || block['type'] !== 'document' || readBlock(block).type !== 'file') return [];
    return [block['title'], block['context']].filter((text) => typeof text === 'string').map(opaquePart);
  });
}

function isResult(block: unknown): block is Record<string, unknown> {
  return isRecord(block) && block['type'] === 'tool_result';
}

function readResult(block: Record<string, unknown>): ToolAnswer {
  return {
    callId: stringIn(block, 'tool_use_id') ?? '',
    output: readOutput(block['content']),
    isError: block['is_error'] === true,
  };
}

function rewriteMessage(
  message: AnthropicMessage,
  changes: ReadonlyMap<number, PartChange>,
): AnthropicMessage {
  const { content } = message;
  if (typeof content === 'string') return { ...message, content: textsOf(changes).get(0) ?? content };
  if (content.some(isResult)) return { ...message, content: withResults(content, textsOf(changes)) };
  const texts = withTexts(content, textsOf(changes)) as readonly unknown[];
  const blocks = texts.map((block, index) => {
    const change = changes.get(index);
    return isRecord(block) && change !== undefined && 'input' in change
      ? { ...block, input: change.input }
      : block;
  });
  return { ...message, content: blocks };
}

/** @param texts By the index of the result. */
function withResults(content: readonly unknown[], texts: ReadonlyMap<number, string>): unknown[] {
  let index = -1;
  return content.map((block) => {
    if (!isResult(block)) return block;
    index += 1;
    const text = texts.get(index);
    return text === undefined ? block : { ...block, content: text };
  });
}

function splitMessage<M extends AnthropicMessage>(message: M): AnthropicMessage[] {
  const { content } = message;
  if (typeof content === 'string' || message.role !== 'user') return [message];
  const results = content.filter(isResult);
  if (results.length === 0 || results.length === content.length) return [message];
  const others = content.filter((block) => !isResult(block));
  return [
    { ...message, content: results },
    { ...message, content: others },
  ];
}

function joinMessages(messages: readonly AnthropicMessage[]): AnthropicMessage[] {
  const joined: AnthropicMessage[] = [];
  for (const message of messages) {
    const last = joined.at(-1);
    if (last?.role !== message.role) joined.push(message);
    else joined[joined.length - 1] = { ...last, content: [...blocksOf(last), ...blocksOf(message)] };
  }
  return joined;
}

/** The server refuses empty texts. */
function blocksOf({ content }: AnthropicMessage): readonly unknown[] {
  if (typeof content !== 'string') return content;
  return content === '' ? [] : [{ type: 'text', text: content }];
}
