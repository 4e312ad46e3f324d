import { closeSync, fchmodSync, fstatSync, openSync, writeSync } from 'node:fs';
import { LonghaulError } from '@longhaul/protocol';

export interface LogFile extends Disposable {
  write(text: string): void;
  /** Opens the path again, after another program has renamed the file. Until that works, the old file is used. */
  reopen(): void;
}

/**
 * Opens a log for appending. Only its owner can read a new one, or one that all users could read. A file that only a group
 * may read keeps its mode.
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
    const file = openSync(path, 'a', 0o600);
    makePrivate(file);
    return file;
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new LonghaulError(
      'file_unreadable',
      `The log file ${path} cannot be written, or made unreadable for others (${reason}). Name a file of this user in a folder that it can write (--log-file).`,
      { cause: error },
    );
  }
}

/** Pipes and devices belong to others. */
function makePrivate(file: number): void {
  const info = fstatSync(file);
  const isOpenToAll = (info.mode & 0o007) !== 0;
  if (!info.isFile() || !isOpenToAll || process.platform === 'win32') return;
  try {
    fchmodSync(file, 0o600);
  } catch (error) {
    closeSync(file);
    throw error;
  }
}
