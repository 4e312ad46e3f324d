import { handleOf } from '@longhaul/protocol';
import { fitLine, shortId } from '../render/format.ts';
import type { Connection } from './connection/connection.ts';
import type { Conversation } from './conversation.ts';
import type { Front } from './front.ts';
import { compactionOf, historyText } from './history.ts';
import type { ConversationView } from './view/conversation-view.ts';
import type { Totals } from './view/totals.ts';

/** Messages of an earlier session that are printed when it is opened. */
const SHOWN_MESSAGES = 30;

export interface SessionOpenerOptions {
  front: Front;
  connection: Connection;
  conversation: Conversation;
  view: ConversationView;
  totals: Totals;
}

/** Changes from one session to another, and shows what was said in it before. */
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

  async open(sessionId: string): Promise<void> {
    const { front, connection, conversation } = this.#options;
    await conversation.open(sessionId);
    this.#forget();
    const id = conversation.requireId();
    const { messages, hasMore } = await connection.client.messages(id, { limit: SHOWN_MESSAGES });
    const [first] = messages;
    const where =
      !hasMore || first === undefined
        ? ''
        : `, from ${handleOf(first.sequence)} on; longhaul show ${shortId(id)} prints all`;
    const head = front.paint.dim(`─── ${fitLine(conversation.title, 60)}${where}`);
    front.surface.print(`${head}\n${historyText(messages, front)}`);
  }

  /** Reads how full the window is. */
  async measure(): Promise<void> {
    const { front, conversation, totals } = this.#options;
    const report = await conversation.context();
    if (report !== undefined) totals.measured(report);
    front.surface.redraw();
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
