import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import { createCallMender } from './chat-call-mender.ts';
import type { MendEvent } from './event-mender.ts';
import type { EventPatch } from './event-patch.ts';

/** Fields in which servers send reasoning, besides the two that the SDK reads. */
const REASONING_FIELDS = ['reasoning_text', 'thinking'];

/** Fields of a chunk that contain nothing of the answer. */
const FACTS = new Set(['id', 'object', 'created', 'model', 'provider', 'service_tier', 'system_fingerprint']);

/** Creates the mender of one stream of Chat Completions chunks. */
export function createChatChunkMender(): MendEvent {
  let hasDelta = false;
  const calls = createCallMender();
  return (chunk, patch, name) => {
    if (isFailure(chunk, patch)) return true;
    // Events of a server's own kind have a name. Those of another format repeat it as their type.
    const isNamed = name !== '' && name !== 'message' && chunk['type'] !== name;
    if (isNamed && chunk['choices'] === undefined) return false;
    patch.toText(chunk, 'id');
    patch.keepOnly(chunk, 'string', ['model']);
    patch.toNumbers(chunk, ['created']);
    const choices = onlyFirst(patch.toObjects(chunk, 'choices'), chunk, patch);
    if (!Array.isArray(chunk['choices']) && isHarmless(chunk)) patch.set(chunk, 'choices', []);
    for (const choice of choices) {
      const { message } = choice;
      // A whole completion as an event. Some servers repeat the whole answer after its deltas.
      if (choice['delta'] === undefined && isObject(message) && !hasDelta) {
        patch.set(choice, 'delta', message);
      }
      // A chunk of the older Completions API.
      if (choice['delta'] === undefined && typeof choice['text'] === 'string')
        patch.set(choice, 'delta', { content: choice['text'] });
      mendChoice(choice, patch);
      if (isObject(choice['delta'])) calls.mend(choice['delta'], patch);
      hasDelta ||= isObject(choice['delta']) && Object.keys(choice['delta']).length > 0;
    }
    mendUsage(chunk, choices, patch);
    return true;
  };
}

/** Only one answer is asked for. */
function onlyFirst(choices: JsonObject[], chunk: JsonObject, patch: EventPatch): JsonObject[] {
  if (choices.length < 2) return choices;
  const first = choices.filter(({ index }) => index === 0 || index === undefined);
  if (first.length > 0 && first.length < choices.length) patch.set(chunk, 'choices', first);
  return first.length > 0 ? first : choices;
}

/** Returns an error that a server sends in a field of its own: OpenRouter in a choice, Groq, MiniMax, Baidu. */
function hiddenError(chunk: JsonObject): JsonValue | undefined {
  const { choices, x_groq: groq, base_resp: base } = chunk;
  const [choice] = Array.isArray(choices) ? choices : [];
  if (isObject(choice) && choice['error']) return choice['error'];
  if (isObject(groq) && groq['error']) return groq['error'];
  if (isObject(base) && base['status_code']) {
    return { message: base['status_msg'] ?? '', code: base['status_code'] };
  }
  if (chunk['error_code']) return { message: chunk['error_msg'] ?? '', code: chunk['error_code'] };
  return undefined;
}

/** Gives an error the form in which the SDK recognises it. */
function isFailure(chunk: JsonObject, patch: EventPatch): boolean {
  if (!chunk['error']) patch.delete(chunk, 'error');
  const hidden = chunk['error'] === undefined ? hiddenError(chunk) : undefined;
  if (hidden !== undefined)
    patch.set(chunk, 'error', isObject(hidden) ? hidden : { message: String(hidden) });
  if (chunk['error'] !== undefined) return true;
  const isError = chunk['object'] === 'error' || 'detail' in chunk || typeof chunk['message'] === 'string';
  if (!isError || chunk['choices'] !== undefined) return false;
  patch.set(chunk, 'error', { ...chunk });
  return true;
}

/** Whether a chunk without choices belongs to this format. Any other chunk must fail the answer. */
function isHarmless(chunk: JsonObject): boolean {
  if (chunk['choices'] === null || isObject(chunk['usage'])) return true;
  if (String(chunk['object']).startsWith('chat.completion')) return true;
  return Object.keys(chunk).every((key) => FACTS.has(key) || chunk[key] === null);
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

/** Turns content in parts into one text, and thoughts among the parts into reasoning. */
function mendContent(delta: JsonObject, patch: EventPatch): void {
  const { content } = delta;
  if (content === undefined || content === null || typeof content === 'string') return;
  const parts = Array.isArray(content) ? content : [content];
  patch.set(delta, 'content', parts.map(textOf).join(''));
  const thoughts = parts.filter(isObject).map((part) => part['thinking'] ?? '');
  const reasoning = thoughts.flatMap((thought) => (Array.isArray(thought) ? thought : [thought])).map(textOf);
  if (reasoning.join('') !== '') patch.set(delta, 'reasoning_content', reasoning.join(''));
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

function mendUsage(chunk: JsonObject, choices: readonly JsonObject[], patch: EventPatch): void {
  patch.keepOnly(chunk, 'object', ['usage']);
  // Moonshot reports the usage in the choice, Groq in a field of its own.
  const { x_groq: groq } = chunk;
  const inChoice = [...choices, ...(isObject(groq) ? [groq] : [])]
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
