import { closeSync, openSync, writeSync } from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';

export interface LogFile extends Disposable {
  write(text: string): void;
  /** Opens the path again, after another program has renamed the file. Until that works, the old file is used. */
  reopen(): void;
}

/**
 * Opens a log for appending. Only its owner can read a new one.
 *
 * @throws {LonghaulError} `file_unreadable`
 */
export function openLogFile(path: string): LogFile {
  let file = open(path);
  return {
    write(text) {
      try {
        writeSync(file, text);
      } catch {
        // On a full disk, lines are lost. The server continues.
      }
    },
    reopen() {
      const next = open(path);
      closeSync(file);
      file = next;
    },
    [Symbol.dispose]: () => closeSync(file),
  };
}

function open(path: string): number {
  try {
    return openSync(path, 'a', 0o600);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError(
      'file_unreadable',
      `The log file ${path} cannot be written (${reason}). Name a file in a folder that this user can write (--log-file).`,
      { cause: error },
    );
  }
}
