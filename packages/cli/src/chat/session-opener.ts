import type { LonghaulEvent } from '@longhaul/protocol';
import type { Connection } from './connection/connection.ts';
import type { Conversation } from './conversation.ts';
import type { Front } from './front.ts';
import { compactionOf, openedText, SHOWN_MESSAGES } from './history.ts';
import type { Remarks } from './remarks.ts';
import type { ConversationView } from './view/conversation-view.ts';
import type { Totals } from './view/totals.ts';

const INTERRUPTED = 'The last run was interrupted before it ended. Your next message continues it.';

const WAITING = 'A message waits that the agent has not received. Your next message delivers it too.';

/** Events after which the window is filled differently, and no usage is reported. */
const MEASURED: ReadonlySet<LonghaulEvent['type']> = new Set([
  'run:finished',
  'context:compressed',
  'context:undone',
  'session:reverted',
  'session:unreverted',
]);

export interface SessionOpenerOptions {
  front: Front;
  connection: Connection;
  conversation: Conversation;
  remarks: Remarks;
  view: ConversationView;
  totals: Totals;
}

/** Changes from one session to another, and shows its earlier messages. */
export class SessionOpener {
  readonly #options: SessionOpenerOptions;

  constructor(options: SessionOpenerOptions) {
    this.#options = options;
  }

  /** Begins a new conversation. */
  async begin(): Promise<void> {
    const { front, conversation } = this.#options;
    await conversation.reset();
    this.#forget();
    front.surface.print(`\n${front.paint.dim('─── a new conversation')}\n`);
  }

  /** @param shownTo The messages up to this event are on the screen already. */
  async open(sessionId: string, shownTo?: number): Promise<void> {
    const { front, connection, conversation, remarks } = this.#options;
    await conversation.open(sessionId, shownTo);
    this.#forget();
    if (shownTo === undefined) {
      const id = conversation.requireId();
      const page = await connection.client.messages(id, { limit: SHOWN_MESSAGES });
      front.surface.print(openedText({ id, title: conversation.title }, page, front));
    }
    if (conversation.wasInterrupted) remarks.say(INTERRUPTED);
    // Otherwise the lines above the composer say so.
    else if (!front.surface.showsStatus && !conversation.isBusy && conversation.undelivered.length > 0)
      remarks.say(WAITING);
  }

  /** Reads how full the window is. */
  async measure(): Promise<void> {
    const { front, conversation, totals } = this.#options;
    const report = await conversation.context();
    if (report !== undefined) totals.measured(report);
    front.surface.redraw();
  }

  /** Reads it again after an event that changes it without reporting a usage. */
  async measureAfter({ type }: LonghaulEvent): Promise<void> {
    if (MEASURED.has(type)) await this.measure();
  }

  /** What a compaction hid, and its summary. */
  async compactionText(sessionId: string, round: number): Promise<string> {
    const { front, connection } = this.#options;
    const session = await connection.client.sessions.export(sessionId);
    return compactionOf(session, round, front);
  }

  #forget(): void {
    this.#options.totals.reset();
    this.#options.view.todo = [];
  }
}
