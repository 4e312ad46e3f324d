import { setImmediate } from 'node:timers/promises';
import {
  createLedgerFold,
  createLedgerKeeper,
  foldMessage,
  type LedgerKeeper,
  type LedgerStart,
  ledgerFoldFromJson,
  ledgerFoldToJson,
} from '@longhaul/context';
import type { LedgerCheckpoint, SessionView, Store } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';

/** What facts are read from: a session that is held, or one that is only looked at. */
export type LedgerSource = Pick<SessionWriter, 'log' | 'unloaded' | 'readMessages' | 'loadCheckpoint'>;

export function ledgerSource(store: Store, view: SessionView): LedgerSource {
  const { session, unloaded } = view;
  return {
    log: view,
    unloaded,
    readMessages: (page) => store.readMessages(session.id, page),
    loadCheckpoint: () => store.loadCheckpoint(session.id),
  };
}

/** A smaller past is sooner read again than written down. */
const MIN_CHECKPOINT_CHARS = 500_000;
const CHARS_PER_TOKEN = 4;
const PAGE = 100;

/**
 * The facts of a session for the compactions of one run, or for one by hand. A run that goes on with a long session has not loaded its past: the first compaction reads
 * the facts from where they were written down last, and from there message by message.
 *
 * Facts are written down again when as much was said since as they take themselves: what is written in all grows with the session, no
 * faster.
 */
export class RunLedger {
  readonly #source: LedgerSource;
  #keeper: LedgerKeeper | undefined;
  #written = { sequence: 0, chars: 0 };

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /** The keeper, with all of the log as it is now in its fold. */
  async open(): Promise<LedgerKeeper> {
    const { log, unloaded } = this.#source;
    this.#keeper ??= createLedgerKeeper(unloaded.size === 0 ? undefined : await this.#past());
    this.#keeper.foldOf(log.messages);
    return this.#keeper;
  }

  /** What to store with the compaction that was made of it, if it is time. */
  checkpointIfDue(): LedgerCheckpoint | undefined {
    const { messages } = this.#source.log;
    const last = messages.at(-1);
    if (this.#keeper === undefined || last === undefined) return undefined;
    let chars = 0;
    for (const { sequence, tokenCount } of messages)
      if (sequence > this.#written.sequence) chars += tokenCount * CHARS_PER_TOKEN;
    if (chars < Math.max(MIN_CHECKPOINT_CHARS, this.#written.chars)) return undefined;
    const fold = ledgerFoldToJson(this.#keeper.foldOf(messages));
    this.#written = { sequence: last.sequence, chars: fold.length };
    return { sequence: last.sequence, fold };
  }

  /** The fold up to the last message that is not loaded. */
  async #past(): Promise<LedgerStart> {
    const { log, unloaded } = this.#source;
    const start = await this.#fromCheckpoint();
    const end = log.messages.findLastIndex(({ id }) => unloaded.has(id));
    const last = log.messages[end];
    if (last === undefined || end < start.count) return start;
    const { fold } = start;
    let after = log.messages[start.count - 1]?.sequence ?? 0;
    while (after < last.sequence) {
      const { messages } = await this.#source.readMessages({ after, limit: PAGE });
      const known = messages.filter(({ sequence }) => sequence <= last.sequence);
      for (const message of known) foldMessage(fold, message);
      // A store may answer without ever waiting, and others want their turn.
      await setImmediate();
      after = messages.at(-1)?.sequence ?? last.sequence;
    }
    return { fold, count: end + 1, lastId: last.id };
  }

  async #fromCheckpoint(): Promise<LedgerStart> {
    const nothing = { fold: createLedgerFold(), count: 0, lastId: undefined };
    const checkpoint = await this.#source.loadCheckpoint();
    const fold = checkpoint === undefined ? undefined : ledgerFoldFromJson(checkpoint.fold);
    if (checkpoint === undefined || fold === undefined) return nothing;
    const { messages } = this.#source.log;
    const at = messages.findIndex(({ sequence }) => sequence === checkpoint.sequence);
    if (at === -1) return nothing;
    this.#written = { sequence: checkpoint.sequence, chars: checkpoint.fold.length };
    return { fold, count: at + 1, lastId: messages[at]?.id };
  }
}
