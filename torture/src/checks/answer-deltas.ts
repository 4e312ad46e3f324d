/** A piece of the text or the reasoning of an answer. */
export interface AnswerDelta {
  kind: 'text' | 'reasoning';
  text: string;
}

/**
 * Reads the deltas of a stream of Chat Completions, Messages or Responses. A delta has arrived when the last byte of its
 * event has arrived.
 */
export function* deltasOf(
  lines: Iterable<{ at: number; data: string }>,
): Iterable<AnswerDelta & { at: number }> {
  let buffer = '';
  for (const { at, data } of lines) {
    const events = (buffer + data).split('\n\n');
    buffer = events.pop() ?? '';
    for (const event of events) {
      const [, json] = /^data: (\{.*)/m.exec(event) ?? [];
      if (json === undefined) continue;
      const deltas = deltasIn(json);
      // After an invalid chunk the answer has failed, so later chunks do not count.
      if (deltas === undefined) return;
      for (const delta of deltas) yield { at, ...delta };
    }
  }
}

interface Chunk {
  type?: string;
  delta?: string | { text?: string; thinking?: string };
  choices?: { delta?: { content?: string | null; reasoning_content?: string | null } }[];
}

function deltasIn(json: string): AnswerDelta[] | undefined {
  let chunk: Chunk;
  try {
    chunk = JSON.parse(json);
  } catch {
    return undefined;
  }
  const { type, delta } = chunk;
  if (typeof delta === 'string') {
    if (type === 'response.output_text.delta') return [{ kind: 'text', text: delta }];
    return type === 'response.reasoning_summary_text.delta' ? [{ kind: 'reasoning', text: delta }] : [];
  }
  const { content, reasoning_content } = chunk.choices?.[0]?.delta ?? {};
  return [
    { kind: 'reasoning', text: reasoning_content ?? delta?.thinking ?? '' },
    { kind: 'text', text: content ?? delta?.text ?? '' },
  ];
}
