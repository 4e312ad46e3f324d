import { closeSync, openSync, writeSync } from 'node:fs';
import type { RequestRecord } from './journal.ts';

/** A line of the journal on disk. `at` is in milliseconds since 1970, and `number` is the number of the request. */
export type JournalLine = { number: number; at: number } & (RequestLine | SentLine | EndLine);

interface RequestLine {
  type: 'request';
  /** The path of the request, which determines the form of the body. */
  path: string;
  /** The body as received, also of a request that is then refused. */
  body: string;
}

interface SentLine {
  type: 'sent';
  /** Written to the socket right after this line. */
  data: string;
}

/** The exchange has ended. */
interface EndLine extends Pick<RequestRecord, 'outcome' | 'status' | 'fault'> {
  type: 'end';
}

type WithoutTime<T> = T extends unknown ? Omit<T, 'at'> : never;

/** A file with one JSON line for each request and each sent piece. Each line is written before the piece is sent. */
export interface DiskJournal extends Disposable {
  write(line: WithoutTime<JournalLine>): void;
}

/** Opens the journal for appending. Creates the file if it does not exist. */
export function openDiskJournal(path: string): DiskJournal {
  const file = openSync(path, 'a', 0o600);
  let isOpen = true;
  return {
    write(line) {
      // The server can close during an answer.
      if (isOpen) writeSync(file, `${JSON.stringify({ ...line, at: Date.now() })}\n`);
    },
    [Symbol.dispose]() {
      if (isOpen) closeSync(file);
      isOpen = false;
    },
  };
}
