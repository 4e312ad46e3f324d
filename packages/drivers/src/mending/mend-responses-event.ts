import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import type { StreamMender } from './event-mender.ts';
import type { EventPatch } from './event-patch.ts';
import { createSnapshot, outputMessages, refusalOf } from './responses-snapshot.ts';

/** Events that nothing reads. xAI sends citations without a title, for which the SDK fails the answer. */
const UNREAD = new Set(['response.output_text.annotation.added', 'response.in_progress']);

const COUNTS = ['input_tokens', 'output_tokens', 'total_tokens'];
const TOKEN_DETAILS = ['cached_tokens', 'cache_write_tokens', 'reasoning_tokens'];

const LAST = new Set(['response.completed', 'response.incomplete', 'response.failed']);

/** Creates the mender of one stream of events of the Responses API. */
export function createResponsesEventMender(): StreamMender {
  const snapshot = createSnapshot();
  const refusal = createRefusalMender();
  let id: JsonValue | undefined;
  let isOver = false;
  return {
    mend(event, patch) {
      if (isOver && event['type'] !== 'error' && !event['error']) return false;
      const mended = mendEvent(event, patch);
      if (mended !== true) return mended;
      refusal.mend(event, patch);
      const { type, response } = event;
      if (type === 'response.created' && isObject(response)) {
        if (id !== undefined && id !== response['id'] && snapshot.hasCall()) failAsOther(event, patch);
        id ??= response['id'];
      }
      isOver = LAST.has(String(event['type']));
      return snapshot.complete(event, patch);
    },
  };
}

/**
 * Turns a refusal into text, and ends the response with it as its reason. The AI SDK does not read the events of
 * refusals.
 */
function createRefusalMender() {
  let hasRefusal = false;
  return {
    mend(event: JsonObject, patch: EventPatch): void {
      const { type, response } = event;
      if (type === 'response.refusal.delta' || type === 'response.refusal.done') {
        hasRefusal ||= Boolean(event['delta'] || event['refusal']);
        const isDelta = type.endsWith('delta');
        patch.set(event, 'type', `response.output_text.${isDelta ? 'delta' : 'done'}`);
        if (!isDelta) patch.set(event, 'text', event['refusal'] ?? '');
      }
      if (type !== 'response.completed' || !isObject(response)) return;
      if (!hasRefusal && !outputMessages(response).some((item) => refusalOf(item) !== '')) return;
      patch.set(event, 'type', 'response.incomplete');
      patch.set(response, 'incomplete_details', { reason: 'refusal' });
    },
  };
}

function mendEvent(event: JsonObject, patch: EventPatch): boolean | 'foreign' {
  if (event['type'] === 'response.done') patch.set(event, 'type', 'response.completed');
  if (event['type'] === 'response.completed' && hasFailed(event)) patch.set(event, 'type', 'response.failed');
  // LM Studio sends the reasoning itself, which the SDK does not read, in place of a summary.
  if (event['type'] === 'response.reasoning_text.delta') {
    patch.set(event, 'type', 'response.reasoning_summary_text.delta');
    patch.set(event, 'summary_index', 0);
  }
  const { type } = event;
  if (Object.keys(event).length === 0) return false;
  if (type === 'error' || event['error']) return true;
  if (typeof type !== 'string' || !type.startsWith('response.')) return 'foreign';
  if (UNREAD.has(type)) return false;
  patch.toNumbers(event, ['output_index', 'summary_index']);
  if (type === 'response.created') mendCreated(event, patch);
  if (type === 'response.output_text.delta') patch.delete(event, 'logprobs');
  if (type === 'response.failed' && typeof event['sequence_number'] !== 'number')
    patch.set(event, 'sequence_number', 0);
  if (type === 'response.completed' || type === 'response.incomplete') mendEnd(event, patch);
  if (type === 'response.output_item.added' || type === 'response.output_item.done') {
    const { item } = event;
    if (isObject(item)) mendItem(item, patch, { isDone: type.endsWith('done') });
  }
  return true;
}

/** A server that begins another response after a complete call, in one stream, would have the calls of both made. */
function failAsOther(event: JsonObject, patch: EventPatch): void {
  const message = 'The server began another response after a call of the first one.';
  patch.set(event, 'type', 'response.failed');
  patch.set(event, 'sequence_number', 0);
  patch.set(event, 'response', { id: '', error: { code: 'server_error', message } });
}

function hasFailed({ response }: JsonObject): boolean {
  return isObject(response) && response['status'] === 'failed';
}

function mendCreated(event: JsonObject, patch: EventPatch): void {
  const { response } = event;
  if (!isObject(response)) return;
  patch.toText(response, 'id');
  patch.toNumbers(response, ['created_at']);
  patch.keepOnly(response, 'string', ['model', 'service_tier']);
  for (const [key, value] of Object.entries({ id: '', created_at: 0, model: '' })) {
    if (response[key] === undefined || response[key] === null) patch.set(response, key, value);
  }
}

function mendEnd(event: JsonObject, patch: EventPatch): void {
  const { response } = event;
  if (!isObject(response)) return;
  patch.keepOnly(response, 'string', ['service_tier']);
  patch.keepOnly(response, 'object', ['usage', 'incomplete_details']);
  if (event['type'] === 'response.incomplete' && !isObject(response['incomplete_details']))
    patch.set(response, 'incomplete_details', { reason: 'incomplete' });
  for (const key of ['reasoning', 'prompt_cache_diagnostics']) patch.delete(response, key);
  const { usage } = response;
  if (!isObject(usage)) return;
  patch.toNumbers(usage, COUNTS);
  for (const key of ['input_tokens', 'output_tokens']) {
    if (typeof usage[key] !== 'number') patch.set(usage, key, 0);
  }
  for (const key of ['input_tokens_details', 'output_tokens_details']) {
    patch.keepOnly(usage, 'object', [key]);
    const details = usage[key];
    if (isObject(details)) patch.toNumbers(details, TOKEN_DETAILS);
  }
}

function mendItem(item: JsonObject, patch: EventPatch, { isDone }: { isDone: boolean }): void {
  if (item['type'] !== 'message' && item['type'] !== 'function_call') return;
  patch.toText(item, 'id');
  patch.keepOnly(item, 'string', ['phase', 'namespace']);
  if (item['type'] === 'message') return;
  patch.toText(item, 'call_id');
  // The SDK needs an item's id, which some servers leave out.
  if (item['id'] === undefined || item['id'] === null) patch.set(item, 'id', item['call_id'] ?? '');
  const input = item['arguments'];
  if (input === undefined || input === null) patch.set(item, 'arguments', '');
  else if (typeof input !== 'string') patch.set(item, 'arguments', JSON.stringify(input));
  if (isDone && item['status'] !== 'incomplete' && item['status'] !== 'completed')
    patch.set(item, 'status', 'completed');
}
