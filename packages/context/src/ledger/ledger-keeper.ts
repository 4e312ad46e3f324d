import type { Message } from '@longhaul/protocol';
import { createLedgerFold, foldMessage, type LedgerFold } from './ledger-fold.ts';

/** Holds a session's fold between compactions, so that each reads what is new since the one before, not the whole log. */
export interface LedgerKeeper {
  /** The fold of these messages. Those it has read are not read again; another session's, or a changed past, start anew. */
  foldOf(messages: readonly Message[]): LedgerFold;
}

/** Where a keeper goes on from. */
export interface LedgerStart {
  fold: LedgerFold;
  /** How many of the session's messages are in the fold, and the id of the last of them. */
  count: number;
  lastId: string | undefined;
}

/** @param start Messages that are in its fold may come without their parts from then on. Default: nothing is folded yet. */
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
