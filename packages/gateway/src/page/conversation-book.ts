import type { ChatMessage } from '@longhaul/protocol';
import type { CompactionDetail, KeptMessage, PageConversation } from '@longhaul/protocol/gateway-page';
import { messageDigest, textDigest } from '../compaction/conversation/message-digest.ts';
import { isSideRequest } from '../compaction/conversation/side-request.ts';
import { textWithoutRecall } from '../compaction/conversation/without-recall.ts';
import type { CompactedFacts, Prepared } from '../compaction/types.ts';
import { isUnknownWindow } from '../upstream/unknown-window.ts';
import { beginningOf, textOf } from './excerpt.ts';

/** The rest is forgotten, the least recent first. */
const MAX_CONVERSATIONS = 100;
const MAX_COMPACTIONS = 20;
const MAX_KEPT = 40;
/** A client adds fewer messages from one request to the next. */
const MAX_NEW_MESSAGES = 100;
const TITLE_CHARS = 80;
const EXCERPT_CHARS = 200;
/** Far more than a summary can have. */
const MAX_SUMMARY_CHARS = 100_000;

interface Entry {
  shown: Omit<PageConversation, 'tokens' | 'compactions'>;
  /** The newest request. It knows the tokens of its answer while that arrives. */
  manager: Prepared['manager'];
  compactions: CompactionDetail[];
  /** The places of the newest request, by which the next one is found. */
  places: readonly string[];
}

/**
 * Remembers the newest conversations for the page. Clients do not name conversations: the next request of one is found
 * by the end of its last request, which is somewhere in the history of the next one.
 */
export class ConversationBook {
  /** The least recent first. */
  readonly #entries = new Map<string, Entry>();
  readonly #byPlace = new Map<string, Entry>();
  readonly #now: () => number;
  #lastId = 0;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  /** Adds a request that is about to be sent. */
  note(prepared: Prepared, about: { upstream: string; model: string }): void {
    const { request, chain, compacted } = prepared;
    if (isSideRequest(request) || chain.length === 0) return;
    const entry = this.#find(prepared) ?? this.#create(prepared);
    entry.shown = {
      ...entry.shown,
      ...about,
      chat: request.chatId ?? null,
      at: this.#now(),
      // A request that is sent again, compacted, counts once.
      requests: entry.shown.requests + (entry.places[0] === placesOf(prepared)[0] ? 0 : 1),
      messages: request.messages.length,
      windowTokens: isUnknownWindow(request.windowTokens) ? null : request.windowTokens,
    };
    entry.manager = prepared.manager;
    this.#place(entry, placesOf(prepared));
    if (compacted !== undefined) this.#noteCompaction(entry, prepared, compacted);
  }

  /** The newest first. */
  list(): PageConversation[] {
    return [...this.#entries.values()].reverse().map(({ shown, manager, compactions }) => ({
      ...shown,
      tokens: manager.getUsageStats().totalTokens,
      compactions: compactions.map(({ ledger, narrative, keptMessages, ...compaction }) => compaction),
    }));
  }

  compaction(id: string): CompactionDetail | undefined {
    const entry = this.#entries.get(id.split('.')[0] ?? '');
    return entry?.compactions.find((compaction) => compaction.id === id);
  }

  #find(prepared: Prepared): Entry | undefined {
    const { chain, request } = prepared;
    const salt = saltOf(prepared);
    for (let index = chain.length - 1; index >= 0; index -= 1) {
      const found = this.#byPlace.get(`${salt}${chain[index]}`);
      if (found !== undefined) return found;
    }
    // Some clients change their first messages from turn to turn, and with them every hash of the conversation.
    const { length } = request.messages;
    for (let end = length; end >= Math.max(2, length - MAX_NEW_MESSAGES); end -= 1) {
      const found = this.#byPlace.get(pairPlace(salt, request.messages, end));
      if (found !== undefined) return found;
    }
    return undefined;
  }

  #create({ request, manager }: Prepared): Entry {
    this.#lastId += 1;
    const first = request.messages.find(({ role }) => role === 'user');
    const shown = {
      id: String(this.#lastId),
      upstream: '',
      model: '',
      title: beginningOf(first === undefined ? '' : textOf(first), TITLE_CHARS),
      chat: null,
      at: 0,
      requests: 0,
      messages: 0,
      windowTokens: null,
    };
    const [oldest] = this.#entries.values();
    if (this.#entries.size >= MAX_CONVERSATIONS && oldest !== undefined) this.#forget(oldest);
    return { shown, manager, compactions: [], places: [] };
  }

  #place(entry: Entry, places: readonly string[]): void {
    this.#forget(entry);
    entry.places = places;
    for (const place of places) this.#byPlace.set(place, entry);
    this.#entries.set(entry.shown.id, entry);
  }

  #forget({ shown, places }: Entry): void {
    this.#entries.delete(shown.id);
    for (const place of places) this.#byPlace.delete(place);
  }

  #noteCompaction({ compactions, shown }: Entry, prepared: Prepared, facts: CompactedFacts): void {
    const last = compactions.at(-1);
    // As the model gets it.
    const ledger = textWithoutRecall(facts.summary.ledger).slice(0, MAX_SUMMARY_CHARS);
    // Later requests are sent with the same compaction.
    if (facts.isFromCache && last?.round === facts.round && last.ledger === ledger) return;
    const number = Number(last?.id.split('.')[1] ?? 0) + 1;
    const { before, after, round, kept, hidden, isByModel, isFromCache, summary } = facts;
    compactions.push({
      ...{ id: `${shown.id}.${number}`, at: this.#now(), round, before, after },
      ...{ kept, hidden, isByModel, isFromCache },
      ledger,
      narrative: summary.narrative.slice(0, MAX_SUMMARY_CHARS),
      keptMessages: keptOf(prepared),
    });
    if (compactions.length > MAX_COMPACTIONS) compactions.shift();
  }
}

function placesOf(prepared: Prepared): string[] {
  const { chain, request } = prepared;
  const { messages } = request;
  const salt = saltOf(prepared);
  const last = `${salt}${chain.at(-1)}`;
  return messages.length < 2 ? [last] : [last, pairPlace(salt, messages, messages.length)];
}

/** Two clients can have the same conversation. */
function saltOf({ request: { client = '' } }: Prepared): string {
  return `${client}\n`;
}

function pairPlace(salt: string, messages: readonly ChatMessage[], end: number): string {
  const pair = messages.slice(end - 2, end).map(messageDigest);
  return `${salt}pair ${textDigest(pair.join('\n'))}`;
}

function keptOf({ request, messages }: Prepared): KeptMessage[] {
  const received = new Set(request.messages);
  return messages
    .filter((message) => received.has(message))
    .slice(-MAX_KEPT)
    .map((message) => ({ role: message.role, excerpt: beginningOf(textOf(message), EXCERPT_CHARS) }));
}
