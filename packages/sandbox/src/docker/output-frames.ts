import type { OutputChunk } from '../command/output-pump.ts';

/** The stream (1 byte), three unused bytes, and the length of the data. */
const HEADER_BYTES = 8;

/**
 * Splits the bytes of a connection to the Docker engine into the frames of both streams. A frame that arrives in many
 * pieces is joined once.
 */
export async function* outputFrames(connection: AsyncIterable<Buffer>): AsyncGenerator<OutputChunk, void> {
  let pieces: Buffer[] = [];
  let bytes = 0;
  let needed = HEADER_BYTES;
  for await (const piece of connection) {
    pieces.push(piece);
    bytes += piece.length;
    if (bytes < needed) continue;
    let rest = pieces.length === 1 ? piece : Buffer.concat(pieces, bytes);
    for (;;) {
      needed = HEADER_BYTES + (rest.length < HEADER_BYTES ? 0 : rest.readUInt32BE(4));
      if (rest.length < needed || rest.length < HEADER_BYTES) break;
      yield { stream: rest[0] === 2 ? 'stderr' : 'stdout', data: rest.subarray(HEADER_BYTES, needed) };
      rest = rest.subarray(needed);
    }
    pieces = rest.length === 0 ? [] : [rest];
    bytes = rest.length;
  }
}
