import type { ObservedUsage } from '../../compaction/types.ts';
import { type AnswerFacts, NOTHING } from '../../proxy/answer-form.ts';
import { addUsages } from '../../proxy/chunk-facts.ts';
import { isRecord } from '../../wire/is-record.ts';
import type { Json } from '../../wire/json.ts';
import { countOf, recordsOf, textOf } from '../fields.ts';
import type { AnswerForm, WayAnswer } from './way-answer.ts';

/** Answers of Anthropic's Messages API: a list of blocks, each of which is opened, written and closed. */
export const MESSAGE_ANSWERS: AnswerForm = {
  start: () => new MessageAnswer(),
  wholeFacts(answer) {
    const blocks = recordsOf(answer['content']);
    const all = (field: string) => blocks.map((block) => textOf(block[field])).join('');
    const calls = blocks.filter(isCall).map(({ input }) => JSON.stringify(input ?? {}));
    return {
      text: all('text'),
      reasoning: all('thinking'),
      called: calls.join(''),
      hasCall: calls.length > 0,
      end: endOf(answer['stop_reason']),
    };
  },
  joined(first, next) {
    const usage = addUsages(recordIn(first, 'usage'), recordIn(next, 'usage'));
    const content = joinedBlocks(recordsOf(first['content']), recordsOf(next['content']));
    return { ...next, id: first['id'], content, usage };
  },
  eventText: (event) => `event: ${textOf(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
};

interface OpenBlock {
  index: number;
  type: unknown;
}

class MessageAnswer implements WayAnswer {
  #open: OpenBlock | undefined;
  #next = 0;
  #earlierTokens = 0;
  #outputTokens = 0;
  #isContinuation = false;
  /** The client's index of each block of the current stream. Undefined for one that the client does not get. */
  #places = new Map<unknown, number | undefined>();

  note(event: Json): AnswerFacts {
    const { type } = event;
    if (type === 'message_delta')
      this.#outputTokens = countOf(recordIn(event, 'usage')['output_tokens']) ?? this.#outputTokens;
    if (!this.#isContinuation) this.#noteBlock(event);
    return factsOf(event);
  }

  continueAnswer({ completionTokens = 0 }: ObservedUsage): void {
    this.#earlierTokens += this.#outputTokens || completionTokens;
    this.#outputTokens = 0;
    this.#isContinuation = true;
    this.#places = new Map();
  }

  rewritten(event: Json): Json[] {
    const { type, index } = event;
    if (type === 'message_start') return [];
    if (type === 'content_block_start') return this.#started(event);
    if (type === 'message_delta') return [{ ...event, usage: this.#usageOf(recordIn(event, 'usage')) }];
    if (type !== 'content_block_delta' && type !== 'content_block_stop') return [event];
    const place = this.#places.get(index);
    if (place === undefined) return [];
    if (type === 'content_block_stop') this.#open = undefined;
    return [{ ...event, index: place }];
  }

  textEvents(text: string): Json[] {
    const isOpen = this.#open?.type === 'text';
    const opened = isOpen ? [] : this.#opened({ type: 'text', text: '' });
    const delta = { type: 'text_delta', text };
    return [...opened, { type: 'content_block_delta', index: this.#open?.index, delta }];
  }

  lengthEnd(): Json[] {
    const delta = { stop_reason: 'max_tokens', stop_sequence: null };
    const usage = this.#usageOf({ output_tokens: this.#outputTokens });
    return [...this.#closed(), { type: 'message_delta', delta, usage }, { type: 'message_stop' }];
  }

  #noteBlock({ type, index, content_block: block }: Json): void {
    if (type === 'content_block_stop') this.#open = undefined;
    if (type !== 'content_block_start' || typeof index !== 'number') return;
    this.#open = { index, type: isRecord(block) ? block['type'] : undefined };
    this.#next = Math.max(this.#next, index + 1);
  }

  /** A block continues an open one of its kind. Thoughts about how to continue a text are left out. */
  #started(event: Json): Json[] {
    const block = recordIn(event, 'content_block');
    const { type } = block;
    const isOpen = this.#open?.type === type && !isCall(block);
    const isHidden = this.#open?.type === 'text' && THOUGHTS.has(type);
    const events = isOpen || isHidden ? [] : this.#opened(block);
    this.#places.set(event['index'], isHidden ? undefined : this.#open?.index);
    const text = isOpen ? textOf(block['text']) : '';
    return text === '' ? events : [...events, ...this.textEvents(text)];
  }

  #opened(block: Json): Json[] {
    const closed = this.#closed();
    const index = this.#next;
    this.#next += 1;
    this.#open = { index, type: block['type'] };
    return [...closed, { type: 'content_block_start', index, content_block: block }];
  }

  #closed(): Json[] {
    const index = this.#open?.index;
    this.#open = undefined;
    return index === undefined ? [] : [{ type: 'content_block_stop', index }];
  }

  #usageOf(usage: Json): Json {
    return { ...usage, output_tokens: this.#earlierTokens + (countOf(usage['output_tokens']) ?? 0) };
  }
}

const THOUGHTS: ReadonlySet<unknown> = new Set(['thinking', 'redacted_thinking']);

function factsOf(event: Json): AnswerFacts {
  const { type } = event;
  const block = recordIn(event, 'content_block');
  const delta = recordIn(event, 'delta');
  if (type === 'content_block_start')
    return { ...NOTHING, text: textOf(block['text']), hasCall: isCall(block) };
  if (type === 'message_delta') return { ...NOTHING, end: endOf(delta['stop_reason']) };
  if (type !== 'content_block_delta') return NOTHING;
  const called = textOf(delta['partial_json']);
  return { ...NOTHING, text: textOf(delta['text']), reasoning: textOf(delta['thinking']), called };
}

function endOf(reason: unknown): AnswerFacts['end'] {
  if (typeof reason !== 'string') return undefined;
  return reason === 'max_tokens' || reason === 'model_context_window_exceeded' ? 'length' : 'other';
}

function isCall({ type }: Json): boolean {
  return textOf(type).endsWith('tool_use');
}

function recordIn(json: Json, field: string): Json {
  const value = json[field];
  return isRecord(value) ? value : {};
}

function joinedBlocks(first: Json[], next: Json[]): Json[] {
  const last = first.at(-1);
  if (last?.['type'] !== 'text') return [...first, ...next];
  const [rest, ...others] = next.filter(({ type }) => !THOUGHTS.has(type));
  if (rest?.['type'] !== 'text') return [...first, ...(rest === undefined ? [] : [rest]), ...others];
  const text = textOf(last['text']) + textOf(rest['text']);
  return [...first.slice(0, -1), { ...last, text }, ...others];
}
