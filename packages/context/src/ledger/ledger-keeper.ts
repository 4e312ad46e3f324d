import type { Message } from '@longhaul/protocol';
import { createLedgerFold, foldMessage, type LedgerFold } from './ledger-fold.ts';

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
  /** Number of the session's messages that are in the fold, and the id of the last of them. */
  count: number;
  lastId: string | undefined;
}

/** @param start From then on, messages that are in its fold may have no parts. Default: an empty fold. */
export function createLedgerKeeper(start?: LedgerStart): LedgerKeeper {
  let { fold, count, lastId } = start ?? { fold: createLedgerFold(), count: 0, lastId: undefined };
  return {
    foldOf(messages) {
      const isSamePast = count <= messages.length && messages[count - 1]?.id === lastId;
      if (!isSamePast) {
        fold = createLedgerFold();
        count = 0;
      }
      for (const message of messages.slice(count)) foldMessage(fold, message);
      count = messages.length;
      lastId = messages.at(-1)?.id;
      return fold;
    },
  };
}
