import { type JsonValue, LonghaulError, type Part } from '@longhaul/protocol';
import { contentBlocks, readBlock, readOutput, textOfContent, withTexts } from './content-blocks.ts';
import {
  callPart,
  fieldsOf,
  isRecord,
  type MessageFormat,
  type MessageReading,
  opaquePart,
  type PartChange,
  stringIn,
  textsOf,
  toJson,
} from './message-format.ts';

/** The part of LangChain's `BaseMessage` that is read here. */
export interface LangChainMessage {
  content: unknown;
  /** Returns `human`, `ai`, `system`, `tool` or another name. */
  getType(): string;
}

/** The classes of `@langchain/core/messages`, so that this package does not depend on it. */
export interface LangChainClasses<M> {
  HumanMessage: new (fields: { content: string }) => M;
  AIMessage: new (fields: { content: string }) => M;
  ToolMessage: new (fields: { content: string; tool_call_id: string; name: string; status: 'error' }) => M;
}

/**
 * Reads and writes messages of LangChain, for its models and for LangGraph.
 *
 * @param classes `HumanMessage`, `AIMessage` and `ToolMessage` of `@langchain/core/messages`.
 * @example
 * createContextSession({ format: langChainFormat<BaseMessage>({ HumanMessage, AIMessage, ToolMessage }), windowTokens,
 * maxOutputTokens });
 */
export function langChainFormat<M extends LangChainMessage>(classes: LangChainClasses<M>): MessageFormat<M> {
  const { HumanMessage, AIMessage, ToolMessage } = classes;
  return {
    read: (message) => readMessage(fieldsOf(message), roleOf(message)),
    rewrite: (message, changes) => withFields(message, changedFields(fieldsOf(message), changes)),
    userMessage: (content) => new HumanMessage({ content }),
    assistantMessage: (content) => new AIMessage({ content }),
    toolMessage: ({ callId, name }, content) =>
      new ToolMessage({ content, tool_call_id: callId, name, status: 'error' }),
  };
}

type Fields = Record<string, unknown>;
type Role = MessageReading['role'];

const ROLES: Readonly<Record<string, Role>> = {
  human: 'user',
  user: 'user',
  ai: 'assistant',
  assistant: 'assistant',
  system: 'system',
  developer: 'system',
  tool: 'tool',
};

/** A `ChatMessage` has its role in a field of its own. */
function roleOf(message: LangChainMessage): Role {
  const type = message.getType();
  const name = type === 'generic' && 'role' in message ? String(message.role) : type;
  const role = ROLES[name];
  if (role !== undefined) return role;
  throw new LonghaulError(
    'invalid_request',
    `A message of the type ${JSON.stringify(name)} cannot be sent to a model. Use HumanMessage, AIMessage, SystemMessage or ToolMessage.`,
  );
}

function readMessage(message: Fields, role: Role): MessageReading {
  const { content } = message;
  if (role === 'system') return { role, text: textOfContent(content) };
  if (role === 'tool') {
    const callId = stringIn(message, 'tool_call_id') ?? '';
    const isError = message['status'] === 'error';
    return { role, results: [{ callId, output: readOutput(content), isError }] };
  }
  const calls = callsOf(message);
  const ids = new Set<string | undefined>(calls.map(({ id }) => id));
  // A call that is also in the content, as Anthropic's models have it, is sent once.
  const blocks = contentBlocks(content).map((block) =>
    isRecord(block) && ids.has(callIdOf(block)) ? opaquePart('') : readContent(block),
  );
  return { role, parts: [...blocks, ...calls.map(readCall), ...otherFields(message)] };
}

function readContent(block: unknown): Part {
  if (!isRecord(block)) return readBlock(block);
  const said = stringIn(block, 'reasoning') ?? stringIn(block, 'thinking');
  return said === undefined ? readBlock(block) : opaquePart(said);
}

/** Fields that are sent beside the content. Nothing in them is changed. */
function otherFields(message: Fields): Part[] {
  const { invalid_tool_calls: invalid, additional_kwargs: kwargs } = message;
  const broken = Array.isArray(invalid) ? invalid.map((call) => opaquePart(JSON.stringify(call))) : [];
  const reasoning = isRecord(kwargs) ? stringIn(kwargs, 'reasoning_content') : undefined;
  return reasoning === undefined ? broken : [...broken, opaquePart(reasoning)];
}

interface Call {
  id: string;
  fields: Fields;
}

function callsOf({ tool_calls: calls }: Fields): Call[] {
  if (!Array.isArray(calls)) return [];
  return calls.filter(isRecord).map((fields) => ({ id: stringIn(fields, 'id') ?? '', fields }));
}

function readCall({ id, fields }: Call): Part {
  return callPart({ callId: id, name: stringIn(fields, 'name') ?? '' }, toJson(fields['args']));
}

/** The id of a call in the content: of Anthropic, of the Responses API, or of LangChain's own form. */
function callIdOf(block: Fields): string | undefined {
  if (!CALL_BLOCKS.includes(String(block['type']))) return undefined;
  return stringIn(block, 'call_id') ?? stringIn(block, 'id');
}

const CALL_BLOCKS = ['tool_use', 'tool_call', 'function_call'];

function changedFields(message: Fields, changes: ReadonlyMap<number, PartChange>): Fields {
  const { content } = message;
  const texts = textsOf(changes);
  if ('tool_call_id' in message) return { content: texts.get(0) ?? content };
  const calls = callsOf(message);
  const first = contentBlocks(content).length;
  const inputs = new Map<string | undefined, JsonValue>();
  for (const [index, { id }] of calls.entries()) {
    const change = changes.get(first + index);
    if (change !== undefined && 'input' in change) inputs.set(id, change.input);
  }
  const changed = { content: withInputs(withTexts(content, texts), inputs) };
  if (inputs.size === 0) return changed;
  return { ...changed, tool_calls: calls.map((call) => withArguments(call, inputs)), ...rawFields(message) };
}

function withArguments({ id, fields }: Call, inputs: ReadonlyMap<string | undefined, JsonValue>): Fields {
  const input = inputs.get(id);
  return input === undefined ? fields : { ...fields, args: input };
}

function withInputs(content: unknown, inputs: ReadonlyMap<string | undefined, JsonValue>): unknown {
  if (!Array.isArray(content)) return content;
  return content.map((block: unknown) => {
    if (!isRecord(block)) return block;
    const input = inputs.get(callIdOf(block));
    if (input === undefined) return block;
    const key = ['input', 'args', 'arguments'].find((name) => name in block) ?? 'input';
    return { ...block, [key]: typeof block[key] === 'string' ? JSON.stringify(input) : input };
  });
}

/** Copies of the calls as the provider sent them. They would be sent in place of the changed ones. */
function rawFields({ additional_kwargs: kwargs, response_metadata: metadata }: Fields): Fields {
  return {
    additional_kwargs: without(kwargs, ['tool_calls', 'function_call', '__openai_function_call_ids__']),
    response_metadata: without(metadata, ['output']),
  };
}

function without(fields: unknown, names: readonly string[]): Fields {
  if (!isRecord(fields)) return {};
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** Returns a copy of the same class. LangChain serialises a message from `lc_kwargs`. */
function withFields<M extends LangChainMessage>(message: M, fields: Fields): M {
  const copy = Object.create(Object.getPrototypeOf(message), Object.getOwnPropertyDescriptors(message)) as M;
  const kwargs: unknown = Reflect.get(message, 'lc_kwargs');
  return Object.assign(copy, fields, isRecord(kwargs) ? { lc_kwargs: { ...kwargs, ...fields } } : {});
}
