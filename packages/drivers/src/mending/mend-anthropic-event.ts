import { isObject, type JsonObject, type JsonValue, parseJson } from '@longhaul/protocol';
import { isServerBlock, isUse, packBlock } from '../anthropic/server-blocks.ts';
import { createFrame } from './anthropic-frame.ts';
import type { MendEvent, StreamMender } from './event-mender.ts';
import type { EventPatch } from './event-patch.ts';

const EVENTS = new Set([
  'message_start',
  'content_block_start',
  'content_block_delta',
  'content_block_stop',
  'message_delta',
  'message_stop',
  'ping',
  'error',
]);

/** The content that a session keeps, besides the blocks of the provider's own tools. */
const BLOCKS = new Set(['text', 'thinking', 'redacted_thinking', 'tool_use']);
const DELTAS = new Set(['text_delta', 'thinking_delta', 'signature_delta', 'input_json_delta']);

/** Fields that have many forms, and that nothing reads. */
const UNREAD = ['container', 'input_transformations', 'safeguard_results'];
const COUNTS = ['input_tokens', 'output_tokens', 'cache_creation_input_tokens', 'cache_read_input_tokens'];

/**
 * Creates the mender of one stream of Anthropic events: unknown events, blocks and deltas are left out. Blocks
 * of the provider's own tools are packed.
 *
 * @param options.keepsCompactions Keeps what the provider reports about its own management of the context. The AI SDK
 * would take a compaction for text of the answer.
 */
export function createAnthropicEventMender({
  keepsCompactions,
}: {
  keepsCompactions: boolean;
}): StreamMender {
  const frame = createFrame();
  const leftOut = new Set<number>();
  const uses = createServerUses();
  const isKept = (type: JsonValue | undefined, known: ReadonlySet<string>) =>
    known.has(String(type)) || (keepsCompactions && String(type).startsWith('compaction'));

  const startBlock = (event: JsonObject, index: number, patch: EventPatch): boolean => {
    const block = event['content_block'];
    if (!isObject(block) || !(isServerBlock(block) || isKept(block['type'], BLOCKS))) {
      leftOut.add(index);
      return false;
    }
    leftOut.delete(index);
    if (isUse(block['type'])) return uses.start(index, block);
    if (isServerBlock(block)) patch.set(event, 'content_block', packBlock(block));
    else {
      mendBlock(block, patch);
      frame.open(index, block, patch);
    }
    return true;
  };
  const addDelta = ({ delta }: JsonObject, index: number): boolean => {
    if (uses.add(index, delta) || leftOut.has(index)) return false;
    return isObject(delta) && isKept(delta['type'], DELTAS) && frame.add(index, delta);
  };
  const endBlock = (index: number, patch: EventPatch): boolean => {
    patch.before.push(...uses.end(index), ...frame.close(index));
    return !leftOut.has(index);
  };

  const mend: MendEvent = (event, patch) => {
    const { type } = event;
    if (isObject(event['error'])) return true;
    if (type === 'error' && event['error'] !== undefined) {
      patch.set(event, 'error', { message: String(event['error'] ?? event['message'] ?? '') });
      return true;
    }
    if (Object.keys(event).length === 0) return false;
    if (!EVENTS.has(String(type))) return 'foreign';
    if (!frame.belongs(event)) return false;
    if (frame.isOther(event)) {
      const message = 'The server began another answer after a call of the first one.';
      patch.set(event, 'type', 'error');
      patch.set(event, 'error', { type: 'api_error', message });
      return true;
    }
    patch.toNumbers(event, ['index']);
    const index = Number(event['index']);
    if (type === 'content_block_start') return startBlock(event, index, patch);
    if (type === 'content_block_delta') return addDelta(event, index);
    if (type === 'content_block_stop') return endBlock(index, patch);
    if (type === 'message_start') mendStart(event, patch);
    if (type === 'message_delta') {
      if (!keepsCompactions) patch.delete(event, 'context_management');
      patch.before.push(...frame.closeAll());
      mendMessageDelta(event, patch);
    }
    frame.watch(event, patch);
    return true;
  };
  return { mend, missingEnd: frame.missingEnd };
}

/** Collects the calls of the provider's own tools until their input is complete. */
function createServerUses() {
  const open = new Map<number, { block: JsonObject; input: string }>();
  return {
    /** Returns false: the event is left out. */
    start(index: number, block: JsonObject): false {
      open.set(index, { block, input: '' });
      return false;
    },
    /** Whether the delta belongs to such a call. */
    add(index: number, delta: JsonValue | undefined): boolean {
      const use = open.get(index);
      if (use !== undefined && isObject(delta)) use.input += String(delta['partial_json'] ?? '');
      return use !== undefined;
    },
    /** Returns the event that starts the packed block. */
    end(index: number): JsonObject[] {
      const use = open.get(index);
      if (use === undefined) return [];
      open.delete(index);
      const { block, input } = use;
      const whole = { ...block, input: parseJson(input) ?? block['input'] ?? {} };
      return [{ type: 'content_block_start', index, content_block: packBlock(whole) }];
    },
  };
}

function mendBlock(block: JsonObject, patch: EventPatch): void {
  const { type } = block;
  if ((type === 'text' || type === 'thinking') && typeof block[type] !== 'string') patch.set(block, type, '');
  if (type !== 'tool_use') return;
  patch.toText(block, 'id');
  patch.delete(block, 'caller');
  if (block['input'] !== undefined && !isObject(block['input'])) patch.delete(block, 'input');
}

function mendStart(event: JsonObject, patch: EventPatch): void {
  if (!isObject(event['message'])) patch.set(event, 'message', {});
  const { message } = event;
  if (!isObject(message)) return;
  for (const key of UNREAD) patch.delete(message, key);
  patch.toText(message, 'id');
  // Content arrives in the events of its blocks, except deferred calls.
  const calls = patch.toObjects(message, 'content').filter((block) => block['type'] === 'tool_use');
  if (Array.isArray(message['content']) && calls.length < message['content'].length)
    patch.set(message, 'content', calls);
  if (!isObject(message['usage'])) patch.set(message, 'usage', {});
  const { usage } = message;
  if (!isObject(usage)) return;
  patch.toNumbers(usage, COUNTS);
  if (typeof usage['input_tokens'] !== 'number') patch.set(usage, 'input_tokens', 0);
}

function mendMessageDelta(event: JsonObject, patch: EventPatch): void {
  for (const key of UNREAD) patch.delete(event, key);
  if (!isObject(event['delta'])) patch.set(event, 'delta', {});
  const { delta } = event;
  if (isObject(delta)) {
    for (const key of UNREAD) patch.delete(delta, key);
    patch.keepOnly(delta, 'string', ['stop_reason', 'stop_sequence']);
    patch.keepOnly(delta, 'object', ['stop_details']);
  }
  if (!isObject(event['usage'])) patch.set(event, 'usage', {});
  const { usage } = event;
  if (!isObject(usage)) return;
  patch.toNumbers(usage, COUNTS);
  patch.keepOnly(usage, 'object', ['output_tokens_details']);
  if (typeof usage['output_tokens'] !== 'number') patch.set(usage, 'output_tokens', 0);
}
