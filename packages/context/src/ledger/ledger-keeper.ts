import type { Message } from '@longhaul/protocol';
import { createLedgerFold, type LedgerFold } from './ledger-facts.ts';
import { foldMessage } from './ledger-fold.ts';

/** Keeps a session's fold between compactions, so that each compaction only reads the messages since the one before. */
export interface LedgerKeeper {
  /**
   * Returns the fold of these messages. Messages that are in it are not read again. If the past changed, or if it is
   * another session, the fold is rebuilt.
   */
  foldOf(messages: readonly Message[]): LedgerFold;
}

/** The state from which a keeper continues. */
export interface LedgerStart {
  fold: LedgerFold;
  /** Id of the last message in the fold. Undefined for an empty fold. */
  lastId: string | undefined;
}

/** @param start From then on, messages that are in its fold may have no parts. Default: an empty fold. */
export function createLedgerKeeper(start?: LedgerStart): LedgerKeeper {
  let { fold, lastId } = start ?? { fold: createLedgerFold(), lastId: undefined };
  return {
    foldOf(messages) {
      // From the end, because few messages follow the last one.
      const last = messages.findLastIndex(({ id }) => id === lastId);
      if (last === -1) fold = createLedgerFold();
      for (const message of messages.slice(last + 1)) foldMessage(fold, message);
      lastId = messages.at(-1)?.id;
      return fold;
    },
  };
}
