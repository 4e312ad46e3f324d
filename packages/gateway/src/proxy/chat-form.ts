import { isRecord } from '../wire/is-record.ts';
import type { Json } from '../wire/json.ts';
import { type AnswerFacts, NOTHING, type WholeForm } from './answer-form.ts';
import { addUsages } from './chunk-facts.ts';

/** Whole answers of chat completions. */
export const CHAT_FORM: WholeForm = {
  wholeFacts(answer): AnswerFacts {
    const choice = choiceOf(answer);
    const message = messageOf(choice);
    const { tool_calls: calls, function_call: call, content } = message;
    const reason = choice['finish_reason'];
    return {
      ...NOTHING,
      text: textOf(content),
      reasoning: textOf(message[reasoningField(message)]),
      hasCall: (Array.isArray(calls) && calls.length > 0) || isRecord(call),
      end: typeof reason !== 'string' ? undefined : reason === 'length' ? 'length' : 'other',
    };
  },
  joined(first, next) {
    const [one, other] = [messageOf(choiceOf(first)), messageOf(choiceOf(next))];
    const field = reasoningField(one);
    const reasoning = textOf(one[field]) + textOf(other[reasoningField(other)]);
    const message = {
      ...other,
      content: textOf(one['content']) + textOf(other['content']),
      ...(reasoning === '' ? {} : { [field]: reasoning }),
    };
    const { id, created } = first;
    const usage = addUsages(recordOf(first['usage']), recordOf(next['usage']));
    return { ...next, id, created, choices: [{ ...choiceOf(next), message }], usage };
  },
};

function choiceOf({ choices }: Json): Json {
  const first: unknown = Array.isArray(choices) ? choices[0] : undefined;
  return isRecord(first) ? first : {};
}

function messageOf({ message }: Json): Json {
  return isRecord(message) ? message : {};
}

function reasoningField(message: Json): 'reasoning' | 'reasoning_content' {
  return 'reasoning' in message ? 'reasoning' : 'reasoning_content';
}

function recordOf(value: unknown): Json | undefined {
  return isRecord(value) ? value : undefined;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
