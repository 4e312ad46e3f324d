import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { asPart, readContent, readParts } from './content-blocks.ts';
import { finishReason, type Importer } from './importer.ts';
import {
  instantAt,
  listAt,
  numberAt,
  objectAt,
  objectsAt,
  parseArguments,
  stringChars,
  textAt,
} from './json-fields.ts';
import { textOf } from './part-text.ts';
import type { SessionBuilder } from './session-builder.ts';
import { chatUsage } from './usage.ts';

const ROLES = new Set(['system', 'developer', 'user', 'assistant', 'tool', 'function']);

export function isChatMessage(element: JsonObject): boolean {
  return ROLES.has(textAt(element, 'role') ?? '') && ('content' in element || 'tool_calls' in element);
}

/**
 * Reads OpenAI's chat messages: a list, `{messages: […]}`, or one message a line. Content blocks of Anthropic's
 * messages (`tool_use`, `tool_result`, `thinking`) are supported too.
 */
export function createChatMessagesImporter(builder: SessionBuilder): Importer {
  return {
    format: 'chat-messages',
    read: (row) => readChatMessage(row, builder),
    field: (name, value) => {
      if (name === 'model' && typeof value === 'string') builder.report.report.model ??= value;
    },
  };
}

export function readChatMessage(message: JsonObject, builder: SessionBuilder): void {
  const role = textAt(message, 'role');
  if (role === 'system' || role === 'developer')
    builder.report.system(textOf(readContent(message['content'], builder.report)));
  else if (role === 'user') readUser(message, builder);
  else if (role === 'assistant') readAssistant(message, builder);
  else if (role === 'tool' || role === 'function') readResult(message, builder);
  else builder.report.lose(`messages of the role ${(role ?? 'unknown').slice(0, 40)}`, message);
}

/** Fields that contain no text that a model sees. */
const QUIET = new Set(['role', 'id', 'name', 'type', 'model', 'timestamp', 'tool_call_id', 'toolCallId']);

/** Reports the text of a message whose content is not where this format has it. */
function loseOtherText(message: JsonObject, builder: SessionBuilder): void {
  const rest = Object.entries(message).filter(([key]) => !QUIET.has(key) && key !== 'extra');
  const fields: JsonObject = Object.fromEntries(rest);
  if (stringChars(fields) > 0) builder.report.lose('messages whose text is in unknown fields', fields);
}

function isEmptyContent(content: JsonValue | undefined): boolean {
  return content === undefined || content === null || (Array.isArray(content) && content.length === 0);
}

export function chatInstant(message: JsonObject): number | undefined {
  return instantAt(objectAt(message, 'extra'), 'timestamp') ?? instantAt(message, 'timestamp');
}

function readUser(message: JsonObject, builder: SessionBuilder): void {
  const blocks = listAt(message, 'content');
  const results = blocks.filter(isObject).filter(isResult);
  for (const block of results)
    builder.result(resultId(block) ?? '', {
      output: readContent(block['content'] ?? block['text'] ?? block['output'], builder.report),
      isError: block['is_error'] === true,
    });
  const rest =
    results.length === 0
      ? message['content']
      : blocks.filter((block) => !(isObject(block) && isResult(block)));
  if (results.length > 0 && Array.isArray(rest) && rest.length === 0) return;
  builder.user(readParts(rest, builder.report), { createdAt: chatInstant(message) });
}

/** Some writers put a result into a block `tool_output`. Without an id it is text. */
function isResult(block: JsonObject): boolean {
  const type = textAt(block, 'type');
  return type === 'tool_result' || (type === 'tool_output' && resultId(block) !== undefined);
}

function resultId(block: JsonObject): string | undefined {
  return textAt(block, 'tool_use_id') ?? textAt(block, 'tool_call_id') ?? textAt(block, 'call_id');
}

function readAssistant(message: JsonObject, builder: SessionBuilder): void {
  const extra = objectAt(message, 'extra');
  const response = objectAt(extra, 'response');
  const choice = objectsAt(response, 'choices')[0];
  builder.step(undefined, {
    createdAt: chatInstant(message),
    model: textAt(response, 'model') ?? textAt(message, 'model'),
    usage: chatUsage(objectAt(response, 'usage') ?? objectAt(message, 'usage')),
    cost: numberAt(extra, 'cost') || undefined,
    finishReason: finishReason(textAt(choice, 'finish_reason') ?? textAt(message, 'finish_reason')),
  });
  builder.reasoning(textAt(message, 'reasoning_content') ?? textAt(message, 'reasoning') ?? '');
  const content = message['content'];
  const calls = objectsAt(message, 'tool_calls');
  for (const block of Array.isArray(content) ? content : [content ?? null]) {
    // Some writers repeat each call of `tool_calls` as a block.
    if (calls.length === 0 || !isCallCopy(block)) readBlock(block, builder);
  }
  for (const call of calls) readCall(call, builder);
  const legacy = objectAt(message, 'function_call');
  if (legacy !== undefined) readCall(legacy, builder);
  const isEmpty = isEmptyContent(content) && calls.length === 0 && legacy === undefined;
  if (isEmpty && !('reasoning_content' in message) && !('reasoning' in message))
    loseOtherText(message, builder);
}

function isCallCopy(block: JsonValue): boolean {
  return isObject(block) && textAt(block, 'type') === 'tool_call';
}

function readBlock(block: JsonValue, builder: SessionBuilder): void {
  if (block === null) return;
  const type = isObject(block) ? textAt(block, 'type') : undefined;
  if (isObject(block) && (type === 'tool_use' || type === 'tool-call' || type === 'tool_call')) {
    readCall(block, builder);
    return;
  }
  if (isObject(block) && (type === 'thinking' || type === 'reasoning')) {
    builder.reasoning(textAt(block, 'thinking') ?? textAt(block, 'text') ?? '');
    return;
  }
  for (const content of readContent([block], builder.report)) {
    if (content.type === 'text') builder.text(content.text);
    else builder.part(asPart(content));
  }
}

export function readCall(call: JsonObject, builder: SessionBuilder): void {
  const owner = objectAt(call, 'function') ?? objectAt(call, 'custom') ?? objectAt(call, 'tool_call') ?? call;
  const name = textAt(owner, 'name') ?? textAt(call, 'toolName') ?? 'unknown';
  const id =
    textAt(call, 'id') ?? textAt(call, 'toolCallId') ?? textAt(call, 'tool_call_id') ?? `call-${name}`;
  builder.call(id, { name, ...parseArguments(owner['arguments'] ?? owner['input'] ?? owner['args']) });
}

/** A result has the id of its call. The oldest form, `role: function`, has only the function's name. */
function readResult(message: JsonObject, builder: SessionBuilder): void {
  const id = textAt(message, 'tool_call_id') ?? textAt(message, 'toolCallId');
  const returnCode = numberAt(objectAt(message, 'extra'), 'returncode');
  const facts = {
    output: readContent(message['content'], builder.report),
    endedAt: chatInstant(message),
    metadata: returnCode === undefined ? undefined : { exitCode: returnCode },
  };
  if (isEmptyContent(message['content'])) loseOtherText(message, builder);
  if (id !== undefined) builder.result(id, facts);
  else if (!builder.resultOfOldestCall(facts))
    builder.result(`call-${textAt(message, 'name') ?? 'unknown'}`, facts);
}
