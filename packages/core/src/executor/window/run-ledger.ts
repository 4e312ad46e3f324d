import { setImmediate } from 'node:timers/promises';
import {
  createLedgerFold,
  createLedgerKeeper,
  foldMessage,
  type LedgerFold,
  type LedgerKeeper,
  ledgerFoldFromJson,
  ledgerFoldToJson,
} from '@longhaul/context/engine';
import { isOpen, type Message } from '@longhaul/protocol';
import type { LedgerCheckpoint, SessionView, Store } from '../../ports/index.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import type { KeptLedger, KeptLedgers } from './kept-ledgers.ts';

/** The source of a session's facts: a session under this process's lease, or a read-only view. */
export type LedgerSource = Pick<SessionWriter, 'log' | 'unloaded' | 'readMessages' | 'loadCheckpoint'>;

/** The facts of a session between its runs. */
export interface LedgerPlace {
  ledgers: KeptLedgers;
  sessionId: string;
}

export function ledgerSource(store: Store, view: SessionView): LedgerSource {
  const { session, unloaded } = view;
  return {
    log: view,
    unloaded,
    readMessages: (page) => store.readMessages(session.id, { ...page, skipReverted: true }),
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
  readonly #between: LedgerPlace | undefined;
  #kept: KeptLedger | undefined;

  /** @param between Where the facts stay between the runs of a session. Default: they are read from the store. */
  constructor(source: LedgerSource, between?: LedgerPlace) {
    this.#source = source;
    this.#between = between;
  }

  /** Returns the keeper. Its fold covers the current log, except a step whose calls have not all ended. */
  async open(): Promise<LedgerKeeper> {
    const messages = endedMessages(this.#source.log.messages);
    const kept = this.#kept ?? this.#fromEarlierRun() ?? (await this.#fromStore());
    this.#kept = kept;
    kept.keeper.foldOf(messages);
    for (const message of messages) {
      if (message.sequence <= (kept.last?.sequence ?? 0)) continue;
      countChars(kept, message);
      kept.last = message;
    }
    this.#between?.ledgers.keep(this.#between.sessionId, kept);
    return { foldOf: (all) => kept.keeper.foldOf(endedMessages(all)) };
  }

  /** Returns the checkpoint to store with the current compaction, or undefined if none is due. */
  checkpointIfDue(): LedgerCheckpoint | undefined {
    const messages = endedMessages(this.#source.log.messages);
    const last = messages.at(-1);
    const kept = this.#kept;
    if (kept === undefined || last === undefined) return undefined;
    if (kept.charsSince < Math.max(MIN_CHECKPOINT_CHARS, kept.checkpoint.chars)) return undefined;
    const fold = ledgerFoldToJson(kept.keeper.foldOf(messages));
    kept.checkpoint = { sequence: last.sequence, chars: fold.length };
    kept.charsSince = 0;
    return { sequence: last.sequence, fold };
  }

  /** Returns the kept facts, unless another process has hidden messages since that are not in them. */
  #fromEarlierRun(): KeptLedger | undefined {
    const { ledgers, sessionId } = this.#between ?? {};
    const kept = sessionId === undefined ? undefined : ledgers?.get(sessionId);
    const last = kept?.last;
    if (last === undefined) return undefined;
    const { log, unloaded } = this.#source;
    const isKnown = log.messages.some(({ id }) => id === last.id);
    const isWhole = !log.messages.some(({ id, sequence }) => sequence > last.sequence && unloaded.has(id));
    return isKnown && isWhole ? kept : undefined;
  }

  /** Returns the facts up to the last message that is not loaded. */
  async #fromStore(): Promise<KeptLedger> {
    const { log, unloaded } = this.#source;
    const { fold, checkpoint } = await this.#fromCheckpoint();
    const at = (sequence: number) => log.messages.findLast((message) => message.sequence <= sequence);
    const hidden = log.messages.findLast(({ id }) => unloaded.has(id));
    const last =
      hidden !== undefined && hidden.sequence > checkpoint.sequence ? hidden : at(checkpoint.sequence);
    const keeper = createLedgerKeeper({ fold, lastId: last?.id });
    const kept: KeptLedger = { keeper, last, checkpoint, charsSince: 0 };
    if (last === hidden && last !== undefined) await this.#foldUpTo(last.sequence, fold, kept);
    return kept;
  }

  async #foldUpTo(last: number, fold: LedgerFold, kept: KeptLedger): Promise<void> {
    for (let after = kept.checkpoint.sequence; after < last; ) {
      const { messages } = await this.#source.readMessages({ after, limit: PAGE });
      for (const message of messages.filter(({ sequence }) => sequence <= last)) {
        foldMessage(fold, message);
        countChars(kept, message);
      }
      // A store may answer synchronously. Other sessions of the process must get their turn.
      await setImmediate();
      after = messages.at(-1)?.sequence ?? last;
    }
  }

  /** Returns the stored fold, and up to which message it goes. */
  async #fromCheckpoint(): Promise<{ fold: LedgerFold; checkpoint: KeptLedger['checkpoint'] }> {
    const stored = await this.#source.loadCheckpoint();
    const fold = stored === undefined ? undefined : ledgerFoldFromJson(stored.fold);
    const newest = this.#source.log.messages.at(-1)?.sequence ?? 0;
    if (stored === undefined || fold === undefined || stored.sequence > newest)
      return { fold: createLedgerFold(), checkpoint: { sequence: 0, chars: 0 } };
    return { fold, checkpoint: { sequence: stored.sequence, chars: stored.fold.length } };
  }
}

function countChars(kept: KeptLedger, { sequence, tokenCount }: Message): void {
  if (sequence > kept.checkpoint.sequence) kept.charsSince += tokenCount * CHARS_PER_TOKEN;
}

/** A fold reads each message once. A step whose calls are running is read when they have ended. */
function endedMessages(messages: readonly Message[]): readonly Message[] {
  const last = messages.findLastIndex(({ role }) => role === 'assistant');
  return messages[last]?.parts.some(isOpen) === true ? messages.slice(0, last) : messages;
}
