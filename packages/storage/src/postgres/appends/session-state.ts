import type { MessageClosing, MessageDraft } from '@longhaul/core';
import type { EventPayload, LonghaulEvent, Message, Part } from '@longhaul/protocol';
import type { EventSource, MessageTexts } from '../../shared/event-copies.ts';
import { type EventOrigin, eventColumns, readsMessage } from '../../shared/event-rows.ts';
import { toColumn } from '../../shared/json.ts';
import type { MessageRow } from '../../shared/log-rows.ts';
import {
  isOpenRow,
  isStreaming,
  isText,
  type PartTarget,
  partRow,
  wholeCharacters,
} from '../../shared/part-rows.ts';
import { rowChecksum } from '../../shared/row-checksum.ts';
import {
  assertDurable,
  messageNotInSession,
  partIsClosed,
  partLeavesHole,
} from '../../shared/store-errors.ts';
import type { Head } from '../heads.ts';
import { chunkKey } from '../part-keys.ts';
import { searchVector } from '../search-vector.ts';
import type { AppendRows } from './append-rows.ts';

export interface PartState {
  type: Part['type'];
  state: string | null;
  /** The stored text of a part that this store streams. */
  streamed?: string;
  /** The number of its next chunk. */
  nextChunk: number;
  /** The text of a text or reasoning part. Undefined for others, and if it was lost. */
  text?: string;
}

export interface MessageState {
  row: MessageRow;
  parts: PartState[];
}

/** What is stored of a session, as far as the next appends need it. */
export interface SessionState {
  head: Head;
  messages: Map<string, MessageState>;
}

/** The newest messages are those that change. */
const MAX_MESSAGES = 8;

/** Forgets old messages. */
export function trimState({ messages }: SessionState): void {
  for (const old of messages.keys()) {
    if (messages.size <= MAX_MESSAGES) return;
    messages.delete(old);
  }
}

/**
 * Plans appends of one session: changes the state, and adds the rows to write. Each method checks first and changes
 * then, so a refused append leaves no trace.
 */
export class SessionPlan {
  readonly #state: SessionState;
  readonly #rows: AppendRows;
  readonly #now: number;

  constructor(state: SessionState, rows: AppendRows, now: number) {
    this.#state = state;
    this.#rows = rows;
    this.#now = now;
  }

  get head(): Head {
    return this.#state.head;
  }

  message(draft: MessageDraft): Message {
    const { head, messages } = this.#state;
    head.lastSequence += 1;
    const message = { ...draft, sessionId: head.sessionId, sequence: head.lastSequence };
    const row = messageRow(message);
    const state: MessageState = { row, parts: [] };
    messages.set(message.id, state);
    this.#rows.addMessage(row);
    for (const part of message.parts) this.#insert(state, part);
    return message;
  }

  /** Returns the sequence of the message. */
  part({ messageId, index }: PartTarget, part: Part): number {
    const state = this.#message(messageId);
    const known = state.parts[index];
    if (known === undefined && index !== state.parts.length)
      throw partLeavesHole(messageId, index, state.parts.length);
    if (known !== undefined && !isOpenRow(known)) throw partIsClosed(messageId, index);
    if (known === undefined) this.#insert(state, part);
    else this.#update(state, index, part);
    return state.row.sequence;
  }

  /** Returns the sequence of the message. */
  close(messageId: string, { usage, ...closing }: MessageClosing): number {
    const state = this.#message(messageId);
    const changed = {
      ...state.row,
      ...definedOf(closing),
      ...(usage === undefined ? {} : { usage: JSON.stringify(usage) }),
    };
    state.row = { ...changed, checksum: rowChecksum('messages', changed) };
    this.#rows.changeMessage(state.row);
    return state.row.sequence;
  }

  /** Numbers and adds the events. */
  events(payloads: readonly EventPayload[], origin?: EventOrigin): LonghaulEvent[] {
    assertDurable(payloads);
    const { head } = this.#state;
    const at = Math.max(head.updatedAt, this.#now);
    return payloads.map((payload) => {
      head.lastEvent += 1;
      const envelope = { sessionId: head.sessionId, at, number: head.lastEvent };
      const texts = readsMessage(payload, origin) ? this.#textsOf(origin.sequence) : undefined;
      const row = { ...envelope, type: payload.type, ...eventColumns(payload, origin, texts) };
      this.#rows.addEvent({ ...row, checksum: rowChecksum('events', row) });
      return { ...payload, ...envelope };
    });
  }

  #insert(state: MessageState, part: Part): void {
    state.parts.push({ type: part.type, state: null, nextChunk: 0 });
    this.#write(state, state.parts.length - 1, part);
  }

  #update(state: MessageState, index: number, part: Part): void {
    const known = state.parts[index];
    const before = known?.streamed;
    if (known === undefined || before === undefined || !isStreaming(part) || !part.text.startsWith(before)) {
      if (isText(part)) this.#rows.dropChunks(placeOf(state, index));
      this.#write(state, index, part);
      return;
    }
    const text = wholeCharacters(part.text);
    if (text.length === before.length) return;
    const place = placeOf(state, index);
    const chunk = { partKey: chunkKey(place), text: text.slice(before.length) };
    this.#rows.addChunk({
      ...place,
      number: known.nextChunk,
      text: JSON.stringify(chunk.text),
      checksum: rowChecksum('part_chunks', chunk),
    });
    known.nextChunk += 1;
    known.streamed = text;
    known.text = text;
  }

  #write(state: MessageState, index: number, part: Part): void {
    const { id: messageId } = state.row;
    const row = partRow({ messageId, index }, part);
    this.#rows.putPart({ ...row, ...placeOf(state, index), search: searchVector(part) ?? null });
    const { nextChunk = 0 } = state.parts[index] ?? {};
    // A text that ends inside a surrogate pair is not remembered, because a chunk must not end there.
    const isGrowing = isStreaming(part) && wholeCharacters(part.text) === part.text;
    state.parts[index] = {
      type: row.type,
      state: row.state,
      nextChunk,
      ...(isText(part) ? { text: part.text } : {}),
      ...(isGrowing ? { streamed: part.text } : {}),
    };
  }

  #message(messageId: string): MessageState {
    const state = this.#state.messages.get(messageId);
    if (state === undefined) throw messageNotInSession(messageId, this.#state.head.sessionId);
    return state;
  }

  #textsOf(sequence: number): EventSource | undefined {
    const state = [...this.#state.messages.values()].find(({ row }) => row.sequence === sequence);
    return state === undefined ? undefined : textsOfParts(state.parts);
  }
}

export function messageRow(message: Message): MessageRow {
  const {
    parts: _parts,
    finishReason = null,
    usage,
    cost = null,
    model = null,
    metadata,
    ...columns
  } = message;
  const row = { ...columns, finishReason, cost, model, usage: toColumn(usage), metadata: toColumn(metadata) };
  return { ...row, checksum: rowChecksum('messages', row) };
}

function textsOfParts(parts: readonly PartState[]): MessageTexts | undefined {
  const texts = parts.filter(({ type }) => type === 'text' || type === 'reasoning');
  if (parts.length === 0 || texts.some(({ text }) => text === undefined)) return undefined;
  const joined = (type: 'text' | 'reasoning') =>
    texts.map((part) => (part.type === type ? part.text : '')).join('');
  return { text: joined('text'), reasoning: joined('reasoning') };
}

function placeOf({ row: { sessionId, sequence } }: MessageState, index: number) {
  return { sessionId, sequence, index };
}

/** A closing without a value keeps the stored one. */
function definedOf<T extends object>(closing: T): Partial<T>;
function definedOf(closing: object): object {
  return Object.fromEntries(Object.entries(closing).filter(([, value]) => value !== undefined));
}
