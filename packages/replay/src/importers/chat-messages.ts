import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { asPart, readContent, readParts } from './content-blocks.ts';
import { finishReason, type Importer } from './importer.ts';
import { instantAt, listAt, numberAt, objectAt, objectsAt, parseArguments, textAt } from './json-fields.ts';
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
  else builder.report.skip(`messages of the role ${(role ?? 'unknown').slice(0, 40)}`);
}

export function chatInstant(message: JsonObject): number | undefined {
  return instantAt(objectAt(message, 'extra'), 'timestamp') ?? instantAt(message, 'timestamp');
}

function readUser(message: JsonObject, builder: SessionBuilder): void {
  const blocks = listAt(message, 'content');
  const results = blocks.filter(isObject).filter((block) => textAt(block, 'type') === 'tool_result');
  for (const block of results)
    builder.result(textAt(block, 'tool_use_id') ?? '', {
      output: readContent(block['content'], builder.report),
      isError: block['is_error'] === true,
    });
  const rest =
    results.length === 0
      ? message['content']
      : blocks.filter((block) => !(isObject(block) && textAt(block, 'type') === 'tool_result'));
  if (results.length > 0 && Array.isArray(rest) && rest.length === 0) return;
  builder.user(readParts(rest, builder.report), { createdAt: chatInstant(message) });
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
  for (const block of Array.isArray(content) ? content : [content ?? null]) readBlock(block, builder);
  for (const call of objectsAt(message, 'tool_calls')) readCall(call, builder);
  const legacy = objectAt(message, 'function_call');
  if (legacy !== undefined) readCall(legacy, builder);
}

function readBlock(block: JsonValue, builder: SessionBuilder): void {
  if (block === null) return;
  const type = isObject(block) ? textAt(block, 'type') : undefined;
  if (isObject(block) && (type === 'tool_use' || type === 'tool-call')) {
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
  const owner = objectAt(call, 'function') ?? objectAt(call, 'custom') ?? call;
  const name = textAt(owner, 'name') ?? textAt(call, 'toolName') ?? 'unknown';
  const id = textAt(call, 'id') ?? textAt(call, 'toolCallId') ?? `call-${name}`;
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
  if (id !== undefined) builder.result(id, facts);
  else if (!builder.resultOfOldestCall(facts))
    builder.result(`call-${textAt(message, 'name') ?? 'unknown'}`, facts);
}
