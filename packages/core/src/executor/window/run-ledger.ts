import { setImmediate } from 'node:timers/promises';
import {
  createLedgerFold,
  createLedgerKeeper,
  foldMessage,
  type LedgerFold,
  type LedgerKeeper,
  type LedgerStart,
  ledgerFoldFromJson,
  ledgerFoldToJson,
} from '@longhaul/context';
import type { Message } from '@longhaul/protocol';
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
  /** The newest message that is counted in `#charsSince`, the characters since the last checkpoint. */
  #counted = 0;
  #charsSince = 0;

  constructor(source: LedgerSource) {
    this.#source = source;
  }

  /** Returns the keeper. Its fold covers the current log. */
  async open(): Promise<LedgerKeeper> {
    const { log, unloaded } = this.#source;
    this.#keeper ??= createLedgerKeeper(unloaded.size === 0 ? undefined : await this.#foldUnloaded());
    this.#keeper.foldOf(log.messages);
    for (const message of log.messages) this.#countChars(message);
    return this.#keeper;
  }

  /** Returns the checkpoint to store with the current compaction, or undefined if none is due. */
  checkpointIfDue(): LedgerCheckpoint | undefined {
    const { messages } = this.#source.log;
    const last = messages.at(-1);
    if (this.#keeper === undefined || last === undefined) return undefined;
    if (this.#charsSince < Math.max(MIN_CHECKPOINT_CHARS, this.#checkpoint.chars)) return undefined;
    const fold = ledgerFoldToJson(this.#keeper.foldOf(messages));
    this.#checkpoint = { sequence: last.sequence, chars: fold.length };
    this.#charsSince = 0;
    return { sequence: last.sequence, fold };
  }

  #countChars({ sequence, tokenCount }: Message): void {
    if (sequence <= this.#counted) return;
    this.#counted = sequence;
    if (sequence > this.#checkpoint.sequence) this.#charsSince += tokenCount * CHARS_PER_TOKEN;
  }

  /** Returns the fold up to the last message that is not loaded. */
  async #foldUnloaded(): Promise<LedgerStart> {
    const { log, unloaded } = this.#source;
    const { fold, sequence } = await this.#fromCheckpoint();
    const last = log.messages.findLast(({ id }) => unloaded.has(id));
    if (last === undefined || last.sequence <= sequence)
      return { fold, lastId: log.messages.findLast((message) => message.sequence <= sequence)?.id };
    for (let after = sequence; after < last.sequence; ) {
      const { messages } = await this.#source.readMessages({ after, limit: PAGE });
      const known = messages.filter((message) => message.sequence <= last.sequence);
      for (const message of known) {
        foldMessage(fold, message);
        this.#countChars(message);
      }
      // A store may answer synchronously. Other sessions of the process must get their turn.
      await setImmediate();
      after = messages.at(-1)?.sequence ?? last.sequence;
    }
    return { fold, lastId: last.id };
  }

  /** Returns the stored fold, up to and including the message with this sequence. */
  async #fromCheckpoint(): Promise<{ fold: LedgerFold; sequence: number }> {
    const checkpoint = await this.#source.loadCheckpoint();
    const fold = checkpoint === undefined ? undefined : ledgerFoldFromJson(checkpoint.fold);
    const newest = this.#source.log.messages.at(-1)?.sequence ?? 0;
    if (checkpoint === undefined || fold === undefined || checkpoint.sequence > newest)
      return { fold: createLedgerFold(), sequence: 0 };
    this.#checkpoint = { sequence: checkpoint.sequence, chars: checkpoint.fold.length };
    return { fold, sequence: checkpoint.sequence };
  }
}
