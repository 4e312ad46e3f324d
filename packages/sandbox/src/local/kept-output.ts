import { existsSync, mkdirSync } from 'node:fs';
import { lstat, open, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import { isKeptMark } from '../command/command-mark.ts';

/** Bytes of one piece of a kept output. At most three pieces are kept. */
const PIECE_BYTES = 524_288;

/**
 * Copies its input into numbered files of a folder until the input ends, and removes the oldest ones. It is the reader of
 * a command that outlives Longhaul: without one, the command would fail when it prints, and a plain file could fill the
 * disk. It ignores signals that are meant for the command, so that the last output is kept. It needs nothing but Node.
 */
const COPY_PROGRAM = `
const fs = require('node:fs');
const [folder, limit] = [process.argv[1], ${PIECE_BYTES}];
let [piece, size] = [0, 0];
for (const name of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(name, () => {});
process.stdin.on('data', (data) => {
  try {
    fs.appendFileSync(folder + '/' + piece, data, { mode: 0o600 });
  } catch {}
  size += data.length;
  if (size < limit) return;
  fs.rmSync(folder + '/' + (piece - 2), { force: true });
  [piece, size] = [piece + 1, 0];
});
`;

/** Arguments of Node for the program that keeps the output in the folder. */
export function copyArguments(folder: string): string[] {
  return ['-e', COPY_PROGRAM, folder];
}

/**
 * Returns the folder for the output of the command with this mark. The mark is that of a stored process, and unique.
 *
 * @throws {LonghaulError} `sandbox_failed` if another user has made the folder for all of them.
 */
export async function keptFolder(mark: string): Promise<string> {
  const uid = process.getuid?.() ?? 0;
  const parent = keptParent();
  mkdirSync(parent, { recursive: true, mode: 0o700 });
  const info = await lstat(parent);
  if (!info.isDirectory() || info.uid !== uid || (info.mode & 0o077) !== 0) {
    throw new LonghaulError(
      'sandbox_failed',
      `${parent} must be a folder that only you can use: outputs of kept commands are stored there. Remove it, or set TMPDIR.`,
    );
  }
  return join(parent, folderName(mark));
}

const keptParent = () => join(tmpdir(), `longhaul-kept-${process.getuid?.() ?? 0}`);
const folderName = (mark: string) => mark.replaceAll(/[^\w.-]/g, '_');

/** Removes the output of a command that has ended. Does nothing if it was not kept. */
export async function removeKeptOutput(mark: string): Promise<void> {
  if (!isKeptMark(mark)) return;
  await rm(join(keptParent(), folderName(mark)), { recursive: true, force: true });
}

/** Reads a kept output piece by piece. */
export class KeptOutput {
  readonly #folder: string;
  #piece = 0;
  #offset = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get exists(): boolean {
    return existsSync(this.#folder);
  }

  /** Calls `take` with each new piece of the output, oldest first. Pieces that were removed are left out. */
  async read(take: (data: Uint8Array) => void | Promise<void>): Promise<void> {
    const names = await readdir(this.#folder).catch(() => []);
    const pieces = names.filter((name) => /^\d+$/.test(name)).map(Number);
    for (const piece of pieces.sort((left, right) => left - right)) {
      if (piece < this.#piece) continue;
      if (piece > this.#piece) [this.#piece, this.#offset] = [piece, 0];
      const data = await readFrom(join(this.#folder, String(piece)), this.#offset);
      this.#offset += data.length;
      if (data.length > 0) await take(data);
    }
  }

  /** The exit code, once the command has ended by itself. */
  async exitCode(): Promise<number | undefined> {
    const text = await readFile(join(this.#folder, 'exit'), 'utf8').catch(() => '');
    return /^\d+\n$/.test(text) ? Number(text) : undefined;
  }

  async remove(): Promise<void> {
    await rm(this.#folder, { recursive: true, force: true });
  }
}

async function readFrom(path: string, offset: number): Promise<Uint8Array> {
  try {
    await using file = await open(path, 'r');
    const buffer = Buffer.alloc(2 * PIECE_BYTES);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, offset);
    return buffer.subarray(0, bytesRead);
  } catch {
    // The piece was removed in the meantime.
    return new Uint8Array();
  }
}
