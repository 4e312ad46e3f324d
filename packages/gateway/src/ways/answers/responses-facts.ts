import { type AnswerFacts, NOTHING } from '../../proxy/answer-form.ts';
import { isRecord } from '../../wire/is-record.ts';
import type { Json } from '../../wire/json.ts';
import { recordsOf, textOf } from '../fields.ts';

/** Returns the facts of one event. */
export function eventFacts(event: Json): AnswerFacts {
  const type = textOf(event['type']);
  const delta = textOf(event['delta']);
  if (/^response\.(?:output_text|refusal)\.delta$/.test(type)) return { ...NOTHING, text: delta };
  if (/^response\.reasoning\w*\.delta$/.test(type)) return { ...NOTHING, reasoning: delta };
  if (type.endsWith('.delta')) return { ...NOTHING, called: delta, hasCall: true };
  if (type === 'response.output_item.added') return { ...NOTHING, hasCall: isCall(recordIn(event, 'item')) };
  const response = recordIn(event, 'response');
  return LAST.has(type) ? { ...NOTHING, end: endOf(response) } : NOTHING;
}

/** Returns the facts of a whole response. */
export function responseFacts(response: Json): AnswerFacts {
  const items = recordsOf(response['output']);
  const messages = items.filter(({ type }) => type === 'message');
  const calls = items.filter(isCall);
  return {
    text: messages.map(textOfItem).join(''),
    reasoning: items
      .filter(({ type }) => type === 'reasoning')
      .map(textOfItem)
      .join(''),
    called: calls.map((item) => textOf(item['arguments'])).join(''),
    hasCall: calls.length > 0,
    end: endOf(response),
  };
}

export function recordIn(json: Json, field: string): Json {
  const value = json[field];
  return isRecord(value) ? value : {};
}

const LAST: ReadonlySet<string> = new Set(['response.completed', 'response.incomplete', 'response.failed']);

function endOf(response: Json): AnswerFacts['end'] {
  const { reason } = recordIn(response, 'incomplete_details');
  return reason === 'max_output_tokens' ? 'length' : 'other';
}

function isCall({ type }: Json): boolean {
  return textOf(type).endsWith('_call');
}

function textOfItem(item: Json): string {
  return recordsOf(item['content'])
    .map((part) => textOf(part['text']) || textOf(part['refusal']))
    .join('');
}
