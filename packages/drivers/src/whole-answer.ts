import { isObject, type JsonObject, type JsonValue } from '@longhaul/protocol';

/**
 * Returns the events of which a whole answer consists, in the format of its provider. Undefined if it is not an answer.
 */
export function eventsOf(answer: JsonValue | undefined): JsonObject[] | undefined {
  // Google sends a list of chunks to a client that does not ask for events.
  if (Array.isArray(answer)) {
    const chunks = answer.filter(isObject);
    return chunks.some((chunk) => Array.isArray(chunk['candidates'])) ? chunks : undefined;
  }
  if (!isObject(answer)) return undefined;
  if (Array.isArray(answer['choices']) || Array.isArray(answer['candidates'])) return [answer];
  if (answer['object'] === 'response' && Array.isArray(answer['output'])) return responseEvents(answer);
  const { type, content } = answer;
  return type === 'message' && Array.isArray(content) ? messageEvents(answer, content) : undefined;
}

/** The last event is enough: it has the whole output. */
function responseEvents(response: JsonObject): JsonObject[] {
  const isIncomplete = response['status'] === 'incomplete';
  return [
    { type: 'response.created', response },
    { type: isIncomplete ? 'response.incomplete' : 'response.completed', response },
  ];
}

/** Anthropic's Messages API. */
function messageEvents(message: JsonObject, content: readonly JsonValue[]): JsonObject[] {
  const { stop_reason, stop_details, usage } = message;
  return [
    { type: 'message_start', message: { ...message, content: [] } },
    ...content.filter(isObject).flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason: stop_reason ?? null, stop_details: stop_details ?? null },
      usage: usage ?? {},
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: JsonObject, index: number): JsonObject[] {
  const { type, text, thinking, signature } = block;
  const deltas: JsonObject[] = [];
  const start = { ...block };
  if (type === 'text') {
    start['text'] = '';
    deltas.push({ type: 'text_delta', text: text ?? '' });
  }
  if (type === 'thinking') {
    Object.assign(start, { thinking: '', signature: '' });
    deltas.push({ type: 'thinking_delta', thinking: thinking ?? '' });
    if (typeof signature === 'string') deltas.push({ type: 'signature_delta', signature });
  }
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}
