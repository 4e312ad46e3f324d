import type { Writable } from 'node:stream';

/**
 * Resolves when the written data has been flushed or the stream is closed. A connection error also closes the stream.
 */
export function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    if (stream.destroyed || !stream.writableNeedDrain) return resolve();
    const done = () => {
      stream.off('drain', done);
      stream.off('close', done);
      resolve();
    };
    stream.on('drain', done);
    stream.on('close', done);
  });
}
