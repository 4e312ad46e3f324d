import type { Writable } from 'node:stream';

/** Done when what was written is on its way, or the reader has left: an error of the connection is nothing else. */
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
