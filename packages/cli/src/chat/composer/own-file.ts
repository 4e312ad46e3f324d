import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname } from 'node:path';

/** Returns the text of a file, or an empty text if there is none. */
export function readOwnFile(path: string): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return '';
    throw error;
  }
}

/** Writes a file that only this user can read. After a crash, it has its old or its new text. */
export function writeOwnFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const beside = `${path}.${process.pid}`;
  try {
    writeFileSync(beside, text, { mode: 0o600 });
    renameSync(beside, path);
  } catch (error) {
    rmSync(beside, { force: true });
    throw error;
  }
}

/** Adds text to a file that only this user can read, also if others could read it before. */
export function appendOwnFile(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  appendFileSync(path, text, { mode: 0o600 });
  chmodSync(path, 0o600);
}
