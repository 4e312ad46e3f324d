import type { SessionUpdate } from '@agentclientprotocol/sdk';
import { findLastEvent, newId, type Store } from '@longhaul/core';
import type { EventOf, LonghaulEvent, Summary } from '@longhaul/protocol';
import type { ClientLink } from '../client-link.ts';
import { problemOf } from '../request-error.ts';
import { EventTranslator, type StoredFacts } from './event-translator.ts';

export interface EventFeedOptions {
  sessionId: string;
  folder: string;
  store: Store;
  link: Pick<ClientLink, 'features' | 'outbox' | 'log'>;
  /** Called after the updates of an event are sent or wait to be sent. */
  onSent(event: LonghaulEvent): void;
}

/** Sends the events of a session as updates, in their order, also where one of them needs the store. */
export class EventFeed {
  readonly translator: EventTranslator;
  readonly #options: EventFeedOptions;
  #converting: Promise<void> = Promise.resolve();

  constructor(options: EventFeedOptions) {
    this.#options = options;
    const { link, folder } = options;
    this.translator = new EventTranslator({ features: link.features, folder, newId });
  }

  send(updates: readonly SessionUpdate[]): void {
    this.#options.link.outbox.push(this.#options.sessionId, updates);
  }

  receive(event: LonghaulEvent): void {
    const { sessionId, link, onSent } = this.#options;
    this.#converting = this.#converting.then(async () => {
      try {
        this.send(this.translator.push(event, await this.#factsOf(event)));
        onSent(event);
      } catch (error) {
        link.log(`An event of session ${sessionId} was not shown: ${problemOf(error)}`);
      }
    });
  }

  /** Resolves when everything so far has been sent. */
  async settled(): Promise<void> {
    await this.#converting;
    await this.#options.link.outbox.drained();
  }

  /** Sends how full the window was at the last request, with what the session has cost. */
  async sendUsage(costUsd: number): Promise<void> {
    const { store, sessionId } = this.#options;
    this.translator.costUsd = costUsd;
    const usage = await findLastEvent(store, sessionId, isUsage);
    if (usage !== undefined) this.send(this.translator.push(usage));
  }

  async #factsOf(event: LonghaulEvent): Promise<StoredFacts> {
    if (event.type === 'context:compressed') return { summary: await this.#summaryOf(event) };
    if (event.type !== 'run:repaired') return {};
    const { store, sessionId } = this.#options;
    const open = await store.listApprovals(sessionId, { open: true });
    return { waiting: new Set(open.map(({ callId }) => callId)) };
  }

  async #summaryOf(event: EventOf<'context:compressed'>): Promise<Summary | undefined> {
    const { marks } = await this.#options.store.readMarks(this.#options.sessionId);
    const made = marks.findLast((mark) => mark.kind === 'compaction' && mark.round === event.round);
    return made?.kind === 'compaction' ? made.summary : undefined;
  }
}

function isUsage(event: LonghaulEvent): event is EventOf<'context:usage'> {
  return event.type === 'context:usage';
}
