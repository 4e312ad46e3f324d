import { isObject, type JsonObject } from '@longhaul/protocol';
import type { EventPatch } from './event-patch.ts';

/** The text of each kind of delta. */
const TEXTS: Readonly<Record<string, string>> = {
  text_delta: 'text',
  thinking_delta: 'thinking',
  signature_delta: 'signature',
  input_json_delta: 'partial_json',
};

/** Completes the frame of a stream of Anthropic events, of which proxies leave out or repeat parts. */
export function createFrame() {
  /** The open blocks, with the input that a call began with. */
  const blocks = new Map<number, { isCall: boolean; input: JsonObject | undefined }>();
  let inputTokens = 0;
  let hasCall = false;
  let end: 'open' | 'announced' | 'sent' = 'open';
  let isOver = false;

  const close = (index: number): JsonObject[] => {
    const { isCall, input } = blocks.get(index) ?? { isCall: false, input: undefined };
    blocks.delete(index);
    hasCall ||= isCall;
    if (input === undefined) return [];
    const delta = { type: 'input_json_delta', partial_json: JSON.stringify(input) };
    return [{ type: 'content_block_delta', index, delta }];
  };

  return {
    /** Whether the event belongs to the answer. It ends with a stop reason; another answer can follow in the stream. */
    belongs({ type }: JsonObject): boolean {
      isOver ||= end === 'sent' || (end === 'announced' && type === 'message_start');
      if (type === 'error' || (isOver && type === 'message_stop')) return end !== 'sent' || type === 'error';
      return !isOver && (end === 'open' || !String(type).startsWith('content_block'));
    },
    /**
     * Whether the event begins another answer after a complete call, which would be made too. Some proxies repeat
     * their request inside one answer. What is not a complete call of the first answer is harmless.
     */
    isOther: ({ type }: JsonObject): boolean => type === 'message_start' && hasCall,
    /** The input at the start of a call is held back: some servers repeat it in deltas. */
    open(index: number, block: JsonObject, patch: EventPatch): void {
      const { type, input } = block;
      const isCall = type === 'tool_use';
      const isGiven = isCall && isObject(input) && Object.keys(input).length > 0;
      blocks.set(index, { isCall, input: isGiven ? input : undefined });
      if (isGiven) patch.set(block, 'input', {});
    },
    /** Returns false for a delta without text. */
    add(index: number, delta: JsonObject): boolean {
      const key = TEXTS[String(delta['type'])];
      if (key !== undefined && typeof delta[key] !== 'string') return false;
      const block = blocks.get(index);
      if (block !== undefined && delta['partial_json'] !== '') block.input = undefined;
      return true;
    },
    close,
    /** Returns the events that end the blocks which the server did not end. */
    closeAll: (): JsonObject[] =>
      [...blocks.keys()].flatMap((index) => [...close(index), { type: 'content_block_stop', index }]),
    watch(event: JsonObject, patch: EventPatch): void {
      const { type, message, delta, usage } = event;
      if (type === 'message_stop') end = 'sent';
      if (type === 'message_start' && isObject(message) && isObject(message['usage']))
        inputTokens = Number(message['usage']['input_tokens']);
      if (type !== 'message_delta') return;
      if (isObject(delta) && typeof delta['stop_reason'] === 'string') end = 'announced';
      // A later report replaces the one at the start, which is right.
      if (isObject(usage) && usage['input_tokens'] === 0 && inputTokens > 0)
        patch.delete(usage, 'input_tokens');
    },
    missingEnd: (): JsonObject[] => (end === 'announced' ? [{ type: 'message_stop' }] : []),
  };
}
