// The program of the watchdog's thread. Plain JavaScript in `bin`, because the bundle starts it by its path.
import { fstatSync, readSync, writeSync } from 'node:fs';
import { workerData } from 'node:worker_threads';

/** @type {{ beats: Int32Array, pipes: { readFd: number, writeFd: number, inode: number }[], checkMs: number, checks: number }} */
const { beats, pipes, checkMs, checks } = workerData;

const NAMES = { 1: 'SIGHUP', 2: 'SIGINT', 15: 'SIGTERM' };
/** A record of libuv: the address of the handle, then the signal's number in an aligned pair of 32 bits. */
const RECORD_BYTES = 16;

let lastBeat = -1;
let found = 0;

setInterval(() => {
  const beat = Atomics.load(beats, 0);
  const isBlocked = beat === lastBeat;
  lastBeat = beat;
  const name = isBlocked ? pendingSignal() : undefined;
  found = name === undefined ? 0 : found + 1;
  if (found >= checks) end(name);
}, checkMs);

/** The signal that waits for the main thread, which is blocked: nothing else reads its pipe. The records are put back. */
function pendingSignal() {
  for (const { readFd, writeFd, inode } of pipes) {
    // After the end of a thread, its descriptors can belong to something else.
    if (inodeOf(readFd) !== inode || inodeOf(writeFd) !== inode) continue;
    const records = Buffer.alloc(65_536);
    let bytes = 0;
    try {
      bytes = readSync(readFd, records);
    } catch (error) {
      // Nothing waits, or the pipe is closed.
      if (error.code !== 'EAGAIN' && error.code !== 'EBADF') throw error;
    }
    if (bytes === 0) continue;
    writeSync(writeFd, records, 0, bytes);
    for (let at = 0; at + RECORD_BYTES <= bytes; at += RECORD_BYTES) {
      const name = NAMES[records.readInt32LE(at + 8)];
      if (name !== undefined) return name;
    }
  }
  return undefined;
}

/** Undefined: the file is closed. */
function inodeOf(fd) {
  try {
    return fstatSync(fd).ino;
  } catch (error) {
    if (error.code === 'EBADF') return undefined;
    throw error;
  }
}

function end(name) {
  const seconds = Math.round((checks * checkMs) / 1_000);
  try {
    writeSync(
      2,
      `longhaul: The program hung and did not react to ${name} for ${seconds} s, so it was ended. Everything stored so far is kept. To continue: longhaul resume\n`,
    );
  } finally {
    process.kill(process.pid, 'SIGKILL');
  }
}
