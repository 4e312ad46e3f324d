import { closeSync, openSync, writeSync } from 'node:fs';
import type { RequestRecord } from './journal.ts';

/** A line of the journal on disk; `at` is milliseconds since 1970, `number` that of the request. */
export type JournalLine = { number: number; at: number } /** As it came, also what is refused then. */ & (
  | { type: 'request'; body: string }
  /** `data` was handed to the socket, or was just going to be. */
  | { type: 'sent'; data: string }
  /** The exchange is over. */
  | ({ type: 'end' } & Pick<RequestRecord, 'outcome' | 'status' | 'fault'>)
);

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

/** What a server received and sent, one JSON line each, on disk as it happens: it can be read whatever became of the client. */
export interface DiskJournal extends Disposable {
  write(line: WithoutTime<JournalLine>): void;
}

/** Appends to the file, which is made if missing. */
export function openDiskJournal(path: string): DiskJournal {
  const file = openSync(path, 'a', 0o600);
  let isOpen = true;
  return {
    write(line) {
      // An answer may still be on its way when the server closes.
      if (isOpen) writeSync(file, `${JSON.stringify({ ...line, at: Date.now() })}\n`);
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
