import type { ObservedUsage } from '../../compaction/types.ts';
import { type AnswerFacts, NOTHING } from '../../proxy/answer-form.ts';
import { addUsages } from '../../proxy/chunk-facts.ts';
import { isRecord } from '../../wire/is-record.ts';
import type { Json } from '../../wire/json.ts';
import { recordsOf, textOf } from '../fields.ts';
import type { AnswerForm, WayAnswer } from './way-answer.ts';

/** Answers of Ollama's own API: lines of JSON, each with a piece of the message. The last one has counts and times. */
export const OLLAMA_ANSWERS: AnswerForm = {
  start: () => new OllamaAnswer(),
  wholeFacts: factsOf,
  joined(first, next) {
    const [one, other] = [messageOf(first), messageOf(next)];
    const thinking = textOf(one['thinking']) + textOf(other['thinking']);
    const message = {
      ...other,
      content: textOf(one['content']) + textOf(other['content']),
      ...(thinking === '' ? {} : { thinking }),
    };
    return { ...next, ...addUsages(countsOf(first), countsOf(next)), message };
  },
  eventText: (event) => `${JSON.stringify(event)}\n`,
};

class OllamaAnswer implements WayAnswer {
  #head: Json = {};
  #earlier: Json | undefined;
  #counts: Json | undefined;

  note(event: Json): AnswerFacts {
    const { model, created_at } = event;
    this.#head = { model, created_at };
    if (event['done'] === true) this.#counts = countsOf(event);
    return factsOf(event);
  }

  continueAnswer({ promptTokens, completionTokens = 0 }: ObservedUsage): void {
    const counts = this.#counts ?? { prompt_eval_count: promptTokens, eval_count: completionTokens };
    this.#earlier = addUsages(this.#earlier, counts);
    this.#counts = undefined;
  }

  rewritten(event: Json): Json[] {
    return event['done'] === true ? [{ ...event, ...addUsages(this.#earlier, countsOf(event)) }] : [event];
  }

  textEvents(text: string): Json[] {
    return [{ ...this.#head, message: { role: 'assistant', content: text }, done: false }];
  }

  lengthEnd(): Json[] {
    const message = { role: 'assistant', content: '' };
    return [{ ...this.#head, message, done: true, done_reason: 'length', ...this.#earlier }];
  }
}

/** Counts of tokens, and times in nanoseconds. */
function countsOf(event: Json): Json {
  return Object.fromEntries(Object.entries(event).filter(([, value]) => typeof value === 'number'));
}

function messageOf({ message }: Json): Json {
  return isRecord(message) ? message : {};
}

function factsOf(event: Json): AnswerFacts {
  const message = messageOf(event);
  const calls = recordsOf(message['tool_calls']);
  const end = event['done_reason'] === 'length' ? 'length' : 'other';
  return {
    ...NOTHING,
    text: textOf(message['content']),
    reasoning: textOf(message['thinking']),
    called: calls.length === 0 ? '' : JSON.stringify(calls),
    hasCall: calls.length > 0,
    end: event['done'] === true ? end : undefined,
  };
}
