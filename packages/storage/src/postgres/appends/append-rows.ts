import type { EventRow } from '../../shared/event-rows.ts';
import type { MessageRow } from '../../shared/log-rows.ts';
import { chunkKey, type PartPlace } from '../part-keys.ts';

export interface NewPart extends PartPlace {
  messageId: string;
  type: string;
  state: string | null;
  body: string;
  checksum: number | null;
  search: string | null;
}

export interface NewChunk extends PartPlace {
  number: number;
  /** As JSON. */
  text: string;
  checksum: number;
}

/** The rows that the appends of one statement write. Of a row that is written twice, the last state is kept. */
export class AppendRows {
  readonly #newMessages = new Map<string, MessageRow>();
  readonly #changedMessages = new Map<string, MessageRow>();
  readonly #parts = new Map<string, NewPart>();
  readonly #dropped = new Map<string, PartPlace>();
  #chunks: NewChunk[] = [];
  readonly #events: EventRow[] = [];

  get newMessages(): MessageRow[] {
    return [...this.#newMessages.values()];
  }

  get changedMessages(): MessageRow[] {
    return [...this.#changedMessages.values()];
  }

  get parts(): NewPart[] {
    return [...this.#parts.values()];
  }

  /** Parts whose stored chunks are deleted. */
  get dropped(): PartPlace[] {
    return [...this.#dropped.values()];
  }

  get chunks(): readonly NewChunk[] {
    return this.#chunks;
  }

  get events(): readonly EventRow[] {
    return this.#events;
  }

  addMessage(row: MessageRow): void {
    this.#newMessages.set(row.id, row);
  }

  changeMessage(row: MessageRow): void {
    const isNew = this.#newMessages.has(row.id);
    (isNew ? this.#newMessages : this.#changedMessages).set(row.id, row);
  }

  putPart(row: NewPart): void {
    this.#parts.set(keyOf(row), row);
  }

  addChunk(row: NewChunk): void {
    this.#chunks.push(row);
  }

  dropChunks(place: PartPlace): void {
    this.#dropped.set(keyOf(place), place);
    this.#chunks = this.#chunks.filter((chunk) => keyOf(chunk) !== keyOf(place));
  }

  addEvent(row: EventRow): void {
    this.#events.push(row);
  }
}

function keyOf(place: PartPlace): string {
  return `${chunkKey(place)}/${place.sessionId}`;
}
