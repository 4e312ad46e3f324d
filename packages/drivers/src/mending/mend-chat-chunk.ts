import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { createCallMender } from './chat-call-mender.ts';
import type { StreamMender } from './event-mender.ts';
import { EventPatch } from './event-patch.ts';
import { type AnswerForm, createOneAnswer } from './one-answer.ts';

/** Fields in which servers send reasoning, besides the two that the SDK reads. */
const REASONING_FIELDS = ['reasoning_text', 'thinking'];

/** Fields of a delta, or of a choice without one, that contain a piece of the answer. */
const CONTENT = [
  'content',
  'text',
  'refusal',
  'tool_calls',
  'function_call',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  ...REASONING_FIELDS,
];

/** Fields of a chunk that contain nothing of the answer. */
const FACTS = new Set(['id', 'object', 'created', 'model', 'provider', 'service_tier', 'system_fingerprint']);

const CHAT_ANSWER: AnswerForm = {
  list: 'choices',
  id: 'id',
  finishReason: 'finish_reason',
  hasContent: (choice) =>
    [choice, choice['delta'], choice['message']]
      .filter(isObject)
      .some((piece) => CONTENT.some((key) => hasSomething(piece[key]))),
};

/** Creates the mender of one stream of Chat Completions chunks. */
export function createChatChunkMender(): StreamMender {
  let hasDelta = false;
  const calls = createCallMender();
  const answer = createOneAnswer(CHAT_ANSWER);

  const mendCounted = (chunk: JsonObject, patch: EventPatch): void => {
    for (const choice of patch.toObjects(chunk, 'choices')) {
      const { message } = choice;
      // A whole completion as an event. Some servers repeat the whole answer after its deltas.
      if (choice['delta'] === undefined && isObject(message) && !hasDelta) {
        patch.set(choice, 'delta', message);
      }
      // A chunk of the older Completions API.
      if (choice['delta'] === undefined && typeof choice['text'] === 'string')
        patch.set(choice, 'delta', { content: choice['text'] });
      mendChoice(choice, patch);
      const delta = isObject(choice['delta']) ? choice['delta'] : {};
      calls.mend(delta, patch, Boolean(choice['finish_reason']));
      if (delta !== choice['delta'] && delta['tool_calls'] !== undefined) patch.set(choice, 'delta', delta);
      hasDelta ||= isObject(choice['delta']) && Object.keys(choice['delta']).length > 0;
    }
  };

  return {
    mend(chunk, patch, name) {
      const choice = answer.keep(chunk, patch);
      if (isFailure(chunk, { choice, name }, patch)) return true;
      if (!Array.isArray(chunk['choices'])) {
        if (!isHarmless(chunk, name)) return 'foreign';
        patch.set(chunk, 'choices', []);
      }
      patch.toText(chunk, 'id');
      patch.keepOnly(chunk, 'string', ['model']);
      patch.toNumbers(chunk, ['created']);
      mendCounted(chunk, patch);
      mendUsage(chunk, choice, patch);
      return true;
    },
    onDone: answer.close,
    missingEnd() {
      const rest = answer.rest();
      for (const chunk of rest) mendCounted(chunk, new EventPatch());
      return rest;
    },
  };
}

/** Returns an error that a server sends in a field of its own: OpenRouter in a choice, Groq, MiniMax, Baidu. */
function hiddenError(chunk: JsonObject, choice: JsonObject | undefined): JsonValue | undefined {
  const { x_groq: groq, base_resp: base } = chunk;
  if (choice?.['error']) return choice['error'];
  if (isObject(groq) && groq['error']) return groq['error'];
  if (isObject(base) && base['status_code']) {
    return { message: base['status_msg'] ?? '', code: base['status_code'] };
  }
  if (chunk['error_code']) return { message: chunk['error_msg'] ?? '', code: chunk['error_code'] };
  return undefined;
}

/** Gives an error the form in which the SDK recognises it. */
function isFailure(
  chunk: JsonObject,
  { choice, name }: { choice: JsonObject | undefined; name: string },
  patch: EventPatch,
): boolean {
  if (!chunk['error']) patch.delete(chunk, 'error');
  const hidden = chunk['error'] === undefined ? hiddenError(chunk, choice) : undefined;
  if (hidden !== undefined)
    patch.set(chunk, 'error', isObject(hidden) ? hidden : { message: String(hidden) });
  if (chunk['error'] !== undefined) return true;
  if (chunk['choices'] !== undefined || !isBareError(chunk, name)) return false;
  patch.set(chunk, 'error', { ...chunk });
  return true;
}

/** Whether a chunk without choices is itself an error. A message of another type of event is a report of the server. */
function isBareError(chunk: JsonObject, name: string): boolean {
  const { object, message, type } = chunk;
  if (object === 'error' || name === 'error' || 'detail' in chunk) return true;
  const isErrorType = typeof type !== 'string' || /error/i.test(type);
  return typeof message === 'string' && isErrorType;
}

/** Whether a chunk without choices belongs to this format. Events of a server's own kind can have a name. */
function isHarmless(chunk: JsonObject, name: string): boolean {
  const isNamed = name !== '' && name !== 'message' && chunk['type'] !== name;
  if (isNamed && chunk['choices'] === undefined) return false;
  if (chunk['choices'] === null || isObject(chunk['usage'])) return true;
  if (String(chunk['object']).startsWith('chat.completion')) return true;
  return Object.keys(chunk).every((key) => FACTS.has(key) || chunk[key] === null);
}

function hasSomething(value: JsonValue | undefined): boolean {
  if (value === undefined || value === null || value === '') return false;
  return !Array.isArray(value) || value.length > 0;
}

function mendChoice(choice: JsonObject, patch: EventPatch): void {
  patch.toText(choice, 'finish_reason');
  if (choice['finish_reason'] === '') patch.set(choice, 'finish_reason', null);
  patch.keepOnly(choice, 'object', ['delta']);
  const { delta } = choice;
  if (!isObject(delta)) return;
  if (delta['role'] !== 'assistant') patch.delete(delta, 'role');
  mendContent(delta, patch);
  mendReasoning(delta, patch);
  const legacy = delta['function_call'];
  if (isObject(legacy) && !delta['tool_calls'])
    patch.set(delta, 'tool_calls', [{ index: 0, function: legacy }]);
  for (const call of patch.toObjects(delta, 'tool_calls')) mendCall(call, patch);
}

/**
 * Turns content in parts into one text, thoughts among the parts into reasoning, and a refusal into that of the delta.
 */
function mendContent(delta: JsonObject, patch: EventPatch): void {
  const { content } = delta;
  if (content === undefined || content === null || typeof content === 'string') return;
  const parts = Array.isArray(content) ? content : [content];
  patch.set(delta, 'content', parts.map(textOf).join(''));
  const thoughts = parts.filter(isObject).map((part) => part['thinking'] ?? '');
  const reasoning = thoughts.flatMap((thought) => (Array.isArray(thought) ? thought : [thought])).map(textOf);
  if (reasoning.join('') !== '') patch.set(delta, 'reasoning_content', reasoning.join(''));
  const refusal = parts.filter(isObject).find((part) => part['type'] === 'refusal')?.['refusal'];
  if (typeof refusal === 'string' && !delta['refusal']) patch.set(delta, 'refusal', refusal);
}

function textOf(part: JsonValue): string {
  if (isObject(part)) return typeof part['text'] === 'string' ? part['text'] : '';
  return part === null || Array.isArray(part) ? '' : String(part);
}

function mendReasoning(delta: JsonObject, patch: EventPatch): void {
  patch.keepOnly(delta, 'string', ['reasoning_content', 'reasoning']);
  if (typeof delta['reasoning_content'] === 'string' || typeof delta['reasoning'] === 'string') return;
  const other = REASONING_FIELDS.map((key) => delta[key]).find((value) => typeof value === 'string');
  if (other !== undefined) patch.set(delta, 'reasoning_content', other);
}

function mendCall(call: JsonObject, patch: EventPatch): void {
  patch.toText(call, 'id');
  patch.toNumbers(call, ['index']);
  if (!isObject(call['function'])) {
    const { name, arguments: input } = call;
    patch.set(call, 'function', { name: name ?? null, arguments: input ?? null });
  }
  patch.keepOnly(call, 'object', ['extra_content']);
  if (isObject(call['extra_content'])) patch.keepOnly(call['extra_content'], 'object', ['google']);
  const called = call['function'];
  if (!isObject(called)) return;
  patch.keepOnly(called, 'string', ['name']);
  const input = called['arguments'];
  if (input === undefined || input === null || typeof input === 'string') return;
  patch.set(called, 'arguments', JSON.stringify(input));
}

function mendUsage(chunk: JsonObject, choice: JsonObject | undefined, patch: EventPatch): void {
  patch.keepOnly(chunk, 'object', ['usage']);
  // Moonshot reports the usage in the choice, Groq in a field of its own.
  const { x_groq: groq } = chunk;
  const inChoice = [choice, groq]
    .filter(isObject)
    .map((each) => each['usage'])
    .find(isObject);
  if (!isObject(chunk['usage']) && inChoice !== undefined) patch.set(chunk, 'usage', inChoice);
  const { usage } = chunk;
  if (!isObject(usage)) return;
  patch.toNumbers(usage, ['prompt_tokens', 'completion_tokens', 'total_tokens']);
  for (const key of ['prompt_tokens_details', 'completion_tokens_details']) {
    patch.keepOnly(usage, 'object', [key]);
    const details = usage[key];
    if (isObject(details)) patch.toNumbers(details, Object.keys(details));
  }
}
