import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';
import type { EventPatch } from './event-patch.ts';

/** Deltas belong to an item by its id, which minimal servers leave out. */
const OF_ITEMS = /^response\.(?:output_text|function_call_arguments|reasoning\w*)\./;

/**
 * Completes a stream of Responses events: some servers send the content of an answer only in the event that ends a
 * text, an item or the whole response.
 */
export function createSnapshot() {
  const texts = new Set<string>();
  /** Calls that have begun and not ended, by the id of their item. */
  const calls = new Map<string, { item: JsonObject; input: string }>();
  const endedCalls = new Set<JsonValue | undefined>();
  let current = 'item';
  let currentIndex = 0;

  const onItem = (item: JsonObject, isDone: boolean): void => {
    current = String(item['id'] ?? current);
    if (item['type'] !== 'function_call') return;
    if (isDone) {
      calls.delete(current);
      endedCalls.add(item['call_id']);
    } else calls.set(current, { item, input: '' });
  };
  const onDelta = (event: JsonObject, id: string): void => {
    const { type, delta } = event;
    if (type === 'response.output_text.delta') texts.add(id);
    const call = calls.get(id);
    if (call === undefined) return;
    if (type === 'response.function_call_arguments.delta') call.input += String(delta);
    if (type === 'response.function_call_arguments.done')
      call.input = String(event['arguments'] ?? call.input);
  };
  /** Returns the events of what the server began and did not end, and of what only the response contains. */
  const missing = (response: JsonValue | undefined): JsonObject[] => {
    const begun = [...calls.values()].map(({ item, input }): JsonObject => ({ ...item, arguments: input }));
    const items = isObject(response) ? outputItems(response) : [];
    const isNew = (item: JsonObject) => !endedCalls.has(item['call_id']);
    const written = items.filter((item) => item['type'] === 'function_call' && isNew(item));
    const unwritten = begun.filter((call) => !written.some((item) => item['call_id'] === call['call_id']));
    const said = texts.size > 0 ? [] : items.filter(isMessage);
    return [...said.flatMap(messageEvents), ...[...written, ...unwritten].map(callEvent)];
  };

  return {
    hasCall: () => endedCalls.size > 0,
    /** Returns false for the end of the arguments: the event that ends their item has them too. */
    complete(event: JsonObject, patch: EventPatch): boolean {
      const { type, item } = event;
      if (type === 'response.output_item.added' || type === 'response.output_item.done') {
        if (isObject(item)) onItem(item, type.endsWith('done'));
        currentIndex = typeof event['output_index'] === 'number' ? event['output_index'] : currentIndex;
      } else if (typeof type === 'string' && OF_ITEMS.test(type)) {
        if (typeof event['item_id'] !== 'string') patch.set(event, 'item_id', current);
        if (typeof event['output_index'] !== 'number') patch.set(event, 'output_index', currentIndex);
        if (type === 'response.output_text.done' && !texts.has(String(event['item_id']))) {
          patch.set(event, 'type', 'response.output_text.delta');
          patch.set(event, 'delta', String(event['text'] ?? ''));
        }
        onDelta(event, String(event['item_id']));
      } else if (type === 'response.completed' || type === 'response.incomplete') {
        patch.before.push(...missing(event['response']));
      }
      return type !== 'response.function_call_arguments.done';
    },
  };
}

/** Returns the messages of a whole response. */
export function outputMessages(response: JsonObject): JsonObject[] {
  return outputItems(response).filter(isMessage);
}

/** Returns the words with which the model refuses in a message, or an empty text. */
export function refusalOf(item: JsonObject): string {
  return textsIn(item, ['refusal']);
}

function outputItems({ output }: JsonObject): JsonObject[] {
  return Array.isArray(output) ? output.filter(isObject) : [];
}

function isMessage(item: JsonObject): boolean {
  return item['type'] === 'message';
}

function textsIn({ content }: JsonObject, keys: readonly string[]): string {
  const parts = Array.isArray(content) ? content.filter(isObject) : [];
  const texts = parts.flatMap((part) => keys.map((key) => part[key]));
  return texts.filter((text) => typeof text === 'string').join('');
}

function messageEvents(item: JsonObject): JsonObject[] {
  const text = textsIn(item, ['text', 'refusal']);
  const id = String(item['id'] ?? 'item');
  const place = { item_id: id, output_index: 0, content_index: 0 };
  const message = { ...item, id };
  return [
    { type: 'response.output_item.added', output_index: 0, item: message },
    { type: 'response.output_text.delta', ...place, delta: text },
    { type: 'response.output_item.done', output_index: 0, item: message },
  ];
}

function callEvent(item: JsonObject): JsonObject {
  const id = item['id'] ?? item['call_id'] ?? '';
  const done = { ...item, id, status: 'completed' };
  return { type: 'response.output_item.done', output_index: 0, item: done };
}
