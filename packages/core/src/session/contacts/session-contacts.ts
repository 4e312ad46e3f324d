import { beginsTurn, isBlank, type Message, originsOf, type Session } from '@longhaul/protocol';
import {
  type Contact,
  type Contacts,
  MAX_LISTED_CONTACTS,
  type SentToContact,
} from '../../ports/contacts.ts';
import type { Store } from '../../ports/index.ts';
import { drivingRun } from '../leases/take-session.ts';
import type { MessageQueueService } from '../messages/message-queue-service.ts';
import { sessionOrigin } from '../messages/session-origin.ts';
import { mayWrite, type TalkSettings } from './may-write.ts';

/** Messages of sessions that may follow one another without a word of a user. Two sessions would answer for ever. */
export const MAX_HOPS = 4;
/** Messages that a session may send in one turn. */
export const MAX_SENT_IN_TURN = 10;
/** The newest sessions among which contacts are looked for. */
const LOOKED_AT = 1_000;
/** Fewer characters do not name an id. */
const MIN_PREFIX = 6;

export interface SessionContactsOptions {
  store: Store;
  queue: Pick<MessageQueueService, 'enqueue'>;
  session: Session;
  talk: TalkSettings;
  /** The messages of the session up to now. */
  messages: () => readonly Message[];
}

/** The contacts of one session during a run. */
export class SessionContacts implements Contacts {
  readonly #options: SessionContactsOptions;

  constructor(options: SessionContactsOptions) {
    this.#options = options;
  }

  async list(): Promise<Contact[]> {
    const found = (await this.#allowed()).slice(0, MAX_LISTED_CONTACTS);
    return await Promise.all(found.map((session) => this.#contactOf(session)));
  }

  async send({ name, handle }: { name: string; handle: string }, text: string): Promise<SentToContact> {
    if (isBlank(text)) return refused('The message is empty.');
    const turn = turnOf(this.#options.messages());
    const limit = limitOf(turn);
    if (limit !== undefined) return refused(limit);
    const found = await this.#find(name.trim());
    if (typeof found === 'string') return refused(found);
    const { store, queue, session } = this.#options;
    const sender = (await store.getSession(session.id)) ?? session;
    const { position } = await queue.enqueue(found.id, [{ type: 'text', text }], {
      // A call that runs again after a crash finds its message.
      id: `${session.id}:${handle}`,
      origin: { ...sessionOrigin(sender, found), hops: turn.hops + 1 },
    });
    return { isSent: true, contact: await this.#contactOf(found), position };
  }

  /** Returns the session, or why there is none. */
  async #find(name: string): Promise<Session | string> {
    const allowed = await this.#allowed();
    const folded = name.toLowerCase();
    const exact = allowed.filter(({ id, title }) => id === folded || title.toLowerCase() === folded);
    const found =
      exact.length > 0 || folded.length < MIN_PREFIX
        ? exact
        : allowed.filter(({ id }) => id.startsWith(folded));
    const [session, ...others] = found;
    if (session === undefined)
      return `You cannot write to a session "${name.slice(0, 100)}". Call send without a message to list those that you can write to.`;
    if (others.length === 0) return session;
    const ids = found.slice(0, 5).map(({ id }) => id);
    return `${found.length} sessions have this name or beginning of an id: ${ids.join(', ')}. Give the whole id.`;
  }

  /** The newest sessions that this one may write to, and those that have just written to it. */
  async #allowed(): Promise<Session[]> {
    const { store, session, talk, messages } = this.#options;
    const writers = new Set(turnOf(messages()).writers);
    const allowed: Session[] = [];
    let looked = 0;
    for (let before: string | undefined; looked < LOOKED_AT; ) {
      const page = await store.listSessions({ limit: 200, ...(before !== undefined && { before }) });
      for (const other of page)
        if (mayWrite(session, other, talk) || mayAnswer(session, other, writers)) allowed.push(other);
      looked += page.length;
      before = page.at(-1)?.id;
      if (page.length < 200) break;
    }
    return allowed;
  }

  async #contactOf(session: Session): Promise<Contact> {
    const { store, talk, session: own } = this.#options;
    return {
      id: session.id,
      title: session.title,
      agent: talk.agentOf(session),
      isWorking: (await drivingRun(store, session.id)) !== undefined,
      ...(session.workspace === own.workspace ? {} : { workspace: session.workspace }),
    };
  }
}

/** A session of the same workspace that has written in this turn gets an answer, whatever the patterns are. */
function mayAnswer(own: Session, other: Session, writers: ReadonlySet<string>): boolean {
  return other.id !== own.id && other.workspace === own.workspace && writers.has(other.id);
}

interface Turn {
  /** How many messages of sessions led to it. 0: a user began it. */
  hops: number;
  /** Messages that the session has sent in it. */
  sent: number;
  /** Ids of the sessions whose messages began it. */
  writers: string[];
}

function turnOf(messages: readonly Message[]): Turn {
  const begin = messages.findLastIndex(beginsTurn);
  const first = messages[begin];
  const origins = first === undefined ? [] : originsOf(first).filter(({ kind }) => kind === 'session');
  const calls = messages
    .slice(begin + 1)
    .flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
  return {
    hops: Math.max(0, ...origins.map(({ hops = 1 }) => hops)),
    sent: calls.filter(({ metadata }) => metadata?.['sentTo'] !== undefined).length,
    writers: origins.map(({ sessionId }) => sessionId),
  };
}

function limitOf({ hops, sent }: Turn): string | undefined {
  if (hops >= MAX_HOPS)
    return `Not sent: ${hops} messages of sessions have followed one another without a word of the user. End your turn with an answer; the user reads it.`;
  if (sent >= MAX_SENT_IN_TURN)
    return `Not sent: this session has sent ${sent} messages since it was last written to. End your turn with an answer.`;
  return undefined;
}

const refused = (reason: string): SentToContact => ({ isSent: false, reason });
