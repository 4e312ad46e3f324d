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

/** The source of a session's facts: a session under this process's lease, or a read-only view. */
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

/** Below this size, reading the messages again is cheaper than storing a checkpoint. */
const MIN_CHECKPOINT_CHARS = 500_000;
const CHARS_PER_TOKEN = 4;
const PAGE = 100;

/**
 * Keeps the facts of a session for the compactions of one run, or for a manual one. A resumed run has not loaded the
 * hidden messages of a long session. Its first compaction reads the facts from the last checkpoint, and then the
 * messages after it.
 *
 * A checkpoint is due when the messages since the last one are as long as that checkpoint. The total size of all
 * checkpoints therefore grows linearly with the session.
 */
export class RunLedger {
  readonly #source: LedgerSource;
  #keeper: LedgerKeeper | undefined;
  #checkpoint = { sequence: 0, chars: 0 };

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /** Returns the keeper. Its fold covers the current log. */
  async open(): Promise<LedgerKeeper> {
    const { log, unloaded } = this.#source;
    this.#keeper ??= createLedgerKeeper(unloaded.size === 0 ? undefined : await this.#foldUnloaded());
    this.#keeper.foldOf(log.messages);
    return this.#keeper;
  }

  /** Returns the checkpoint to store with the current compaction, or undefined if none is due. */
  checkpointIfDue(): LedgerCheckpoint | undefined {
    const { messages } = this.#source.log;
    const last = messages.at(-1);
    if (this.#keeper === undefined || last === undefined) return undefined;
    let chars = 0;
    for (const { sequence, tokenCount } of messages)
      if (sequence > this.#checkpoint.sequence) chars += tokenCount * CHARS_PER_TOKEN;
    if (chars < Math.max(MIN_CHECKPOINT_CHARS, this.#checkpoint.chars)) return undefined;
    const fold = ledgerFoldToJson(this.#keeper.foldOf(messages));
    this.#checkpoint = { sequence: last.sequence, chars: fold.length };
    return { sequence: last.sequence, fold };
  }

  /** Returns the fold up to the last message that is not loaded. */
  async #foldUnloaded(): Promise<LedgerStart> {
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
      // A store may answer synchronously. Other sessions of the process must get their turn.
      await setImmediate();
      after = messages.at(-1)?.sequence ?? last.sequence;
    }
    return { fold, count: end + 1, lastId: last.id };
  }

  async #fromCheckpoint(): Promise<LedgerStart> {
    const empty = { fold: createLedgerFold(), count: 0, lastId: undefined };
    const checkpoint = await this.#source.loadCheckpoint();
    const fold = checkpoint === undefined ? undefined : ledgerFoldFromJson(checkpoint.fold);
    if (checkpoint === undefined || fold === undefined) return empty;
    const { messages } = this.#source.log;
    const at = messages.findIndex(({ sequence }) => sequence === checkpoint.sequence);
    if (at === -1) return empty;
    this.#checkpoint = { sequence: checkpoint.sequence, chars: checkpoint.fold.length };
    return { fold, count: at + 1, lastId: messages[at]?.id };
  }
}
