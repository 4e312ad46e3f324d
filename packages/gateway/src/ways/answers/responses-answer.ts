import { randomUUID } from 'node:crypto';
import type { ObservedUsage } from '../../compaction/types.ts';
import type { AnswerFacts } from '../../proxy/answer-form.ts';
import { addUsages } from '../../proxy/chunk-facts.ts';
import type { Json } from '../../wire/json.ts';
import { recordsOf, textOf } from '../fields.ts';
import { OpenItem } from './open-item.ts';
import { eventFacts, recordIn, responseFacts } from './responses-facts.ts';
import type { AnswerForm, WayAnswer } from './way-answer.ts';

/** Answers of OpenAI's Responses API: a list of items, each of which is opened, written and closed. */
export const RESPONSE_ANSWERS: AnswerForm = {
  start: () => new ResponseAnswer(),
  wholeFacts: responseFacts,
  joined(first, next) {
    const output = joinedItems(recordsOf(first['output']), recordsOf(next['output']));
    const usage = addUsages(recordIn(first, 'usage'), recordIn(next, 'usage'));
    return { ...next, id: first['id'], created_at: first['created_at'], output, usage };
  },
  eventText: (event) => `event: ${textOf(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
};

class ResponseAnswer implements WayAnswer {
  #response: Json = {};
  #earlier: Json | undefined;
  #usage: Json | undefined;
  #number = -1;
  #next = 0;
  #open: OpenItem | undefined;
  readonly #finished: Json[] = [];
  #isContinuation = false;
  /** How each item of the current stream is shown: as an item at an index, as a part of the open item, or not at all. */
  #places = new Map<unknown, number | 'open' | 'hidden'>();

  note(event: Json): AnswerFacts {
    const usage = recordIn(event, 'response')['usage'];
    if (usage != null) this.#usage = recordIn(recordIn(event, 'response'), 'usage');
    if (!this.#isContinuation) {
      if (typeof event['sequence_number'] === 'number') this.#number = event['sequence_number'];
      if (event['type'] === 'response.created') this.#response = recordIn(event, 'response');
      this.#noteItem(event);
    }
    return eventFacts(event);
  }

  continueAnswer({ promptTokens, completionTokens = 0 }: ObservedUsage): void {
    const estimate = {
      input_tokens: promptTokens,
      output_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
    this.#earlier = addUsages(this.#earlier, this.#usage ?? estimate);
    this.#usage = undefined;
    this.#isContinuation = true;
    this.#places = new Map();
  }

  rewritten(event: Json): Json[] {
    const type = textOf(event['type']);
    if (STARTS.has(type)) return [];
    if (event['response'] !== undefined) return this.#numbered([this.#ended(event)]);
    if (type === 'response.output_item.added') return this.#numbered(this.#started(event));
    const place = this.#places.get(event['output_index']);
    if (place === 'hidden') return [];
    if (place === undefined) return this.#numbered([event]);
    if (place !== 'open') return this.#numbered([this.#noted({ ...event, output_index: place })]);
    const adopted = this.#open?.adopted(event);
    if (adopted === undefined) return [];
    this.#noteItem(adopted);
    return this.#numbered([adopted]);
  }

  textEvents(text: string): Json[] {
    const opened = this.#open?.isMessage ? [] : this.#opened(newMessage());
    const events = this.#open?.textEvents(text) ?? [];
    for (const event of events) this.#open?.note(event);
    return this.#numbered([...opened, ...events]);
  }

  lengthEnd(): Json[] {
    const incomplete_details = { reason: 'max_output_tokens' };
    const response = { ...this.#response, status: 'incomplete', incomplete_details };
    return this.#numbered([
      ...this.#closed(),
      this.#ended({ type: 'response.incomplete', response: { ...response, usage: this.#usage } }),
    ]);
  }

  #numbered(events: Json[]): Json[] {
    return events.map((event) => {
      this.#number += 1;
      return { ...event, sequence_number: this.#number };
    });
  }

  #noted(event: Json): Json {
    this.#noteItem(event);
    return event;
  }

  #noteItem(event: Json): void {
    const { type, output_index: index } = event;
    if (type === 'response.output_item.added' && typeof index === 'number') {
      this.#open = new OpenItem(index, recordIn(event, 'item'));
      this.#next = Math.max(this.#next, index + 1);
    } else if (type === 'response.output_item.done') {
      this.#finished.push(recordIn(event, 'item'));
      this.#open = undefined;
    } else this.#open?.note(event);
  }

  /** A message continues an open one. Thoughts about how to continue a message are left out. */
  #started(event: Json): Json[] {
    const item = recordIn(event, 'item');
    const isOpen = this.#open?.isMessage === true;
    const joins = isOpen && item['type'] === 'message';
    const isHidden = isOpen && item['type'] === 'reasoning';
    const events = joins || isHidden ? [] : this.#opened(item);
    this.#places.set(event['output_index'], joins ? 'open' : isHidden ? 'hidden' : (this.#open?.index ?? 0));
    return events;
  }

  #opened(item: Json): Json[] {
    const closed = this.#closed();
    const added = { type: 'response.output_item.added', output_index: this.#next, item };
    return [...closed, this.#noted(added)];
  }

  #closed(): Json[] {
    const events = this.#open?.closing() ?? [];
    const item = events.at(-1);
    if (item !== undefined) this.#finished.push(recordIn(item, 'item'));
    this.#open = undefined;
    return events;
  }

  #ended(event: Json): Json {
    const response = recordIn(event, 'response');
    const { id, created_at } = this.#response;
    const usage = addUsages(this.#earlier, recordIn(response, 'usage'));
    return { ...event, response: { ...response, id, created_at, output: this.#finished, usage } };
  }
}

const STARTS: ReadonlySet<string> = new Set(['response.created', 'response.in_progress', 'response.queued']);

function newMessage(): Json {
  const id = `msg_${randomUUID().replaceAll('-', '')}`;
  return { type: 'message', id, role: 'assistant', status: 'in_progress', content: [] };
}

/** The first message of `next` continues the message at the end of `first`. */
function joinedItems(first: Json[], next: Json[]): Json[] {
  const last = first.at(-1);
  if (last?.['type'] !== 'message') return [...first, ...next];
  const shown = next.filter(({ type }) => type !== 'reasoning');
  const [rest = {}, ...others] = shown;
  if (rest['type'] !== 'message') return [...first, ...shown];
  const parts = recordsOf(last['content']);
  const [more = {}, ...otherParts] = recordsOf(rest['content']);
  const end = parts.at(-1) ?? { type: 'output_text', text: '', annotations: [] };
  const part = { ...end, text: textOf(end['text']) + textOf(more['text']) };
  const content = [...parts.slice(0, -1), part, ...otherParts];
  return [...first.slice(0, -1), { ...last, status: rest['status'], content }, ...others];
}
