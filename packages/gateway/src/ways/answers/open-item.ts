import type { Json } from '../../wire/json.ts';
import { textOf } from '../fields.ts';
import { recordIn } from './responses-facts.ts';

/** An item of a response that has been opened and not closed. */
export class OpenItem {
  readonly index: number;
  readonly item: Json;
  /** The text part that is open. */
  #part: { index: number; part: Json; text: string } | undefined;
  #parts: Json[] = [];

  constructor(index: number, item: Json) {
    this.index = index;
    this.item = item;
  }

  get isMessage(): boolean {
    return this.item['type'] === 'message';
  }

  /** Records an event of this item that the client gets. */
  note(event: Json): void {
    if (!this.isMessage) return;
    const type = textOf(event['type']);
    const index = typeof event['content_index'] === 'number' ? event['content_index'] : this.#parts.length;
    if (type === 'response.content_part.added')
      this.#part ??= { index, part: recordIn(event, 'part'), text: '' };
    if (type === 'response.output_text.delta') {
      this.#part ??= { index, part: TEXT_PART, text: '' };
      this.#part.text += textOf(event['delta']);
    }
    if (type === 'response.content_part.done') this.#takePart();
  }

  /** Returns an event of a continuing item as an event of this one. Undefined for one that the client has already. */
  adopted(event: Json): Json | undefined {
    const type = textOf(event['type']);
    if (type === 'response.content_part.added' && this.#part !== undefined) return undefined;
    const own = { ...event, output_index: this.index };
    if (type === 'response.output_item.done') return { ...own, item: this.#done(recordIn(event, 'item')) };
    const placed = {
      ...own,
      item_id: this.item['id'],
      content_index: this.#part?.index ?? this.#parts.length,
    };
    if (type === 'response.output_text.done') return { ...placed, text: this.#part?.text ?? '' };
    if (type !== 'response.content_part.done') return placed;
    return { ...placed, part: { ...recordIn(event, 'part'), text: this.#part?.text ?? '' } };
  }

  /** Returns a text as an event of this message. */
  textEvents(text: string): Json[] {
    const place = {
      item_id: this.item['id'],
      output_index: this.index,
      content_index: this.#part?.index ?? 0,
    };
    const added = { type: 'response.content_part.added', ...place, part: TEXT_PART };
    const delta = { type: 'response.output_text.delta', ...place, delta: text, logprobs: [] };
    return this.#part === undefined ? [added, delta] : [delta];
  }

  /** Returns the events that close this item before its end. */
  closing(): Json[] {
    const { index: output_index } = this;
    const open = this.#part;
    const place = { item_id: this.item['id'], output_index, content_index: open?.index };
    const part = { ...open?.part, text: open?.text };
    const texts = [
      { type: 'response.output_text.done', ...place, text: open?.text, logprobs: [] },
      { type: 'response.content_part.done', ...place, part },
    ];
    this.#takePart();
    const item = this.#done({ ...this.item, status: 'incomplete' });
    return [...(open === undefined ? [] : texts), { type: 'response.output_item.done', output_index, item }];
  }

  #takePart(): void {
    if (this.#part === undefined) return;
    const { part, text } = this.#part;
    this.#parts.push({ ...part, text });
    this.#part = undefined;
  }

  #done(item: Json): Json {
    return { ...item, id: this.item['id'], ...(this.#parts.length === 0 ? {} : { content: this.#parts }) };
  }
}

const TEXT_PART: Json = { type: 'output_text', text: '', annotations: [], logprobs: [] };
