import type { Readable } from 'node:stream';
import { LonghaulError } from '@longhaul/protocol';

/** @throws {LonghaulError} `invalid_request` beyond `maxBytes`; what the stream throws. */
export async function readBody(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // A stream that is not read to its end is left open: its sender is still to be answered.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new LonghaulError(
        'invalid_request',
        `The body is larger than ${maxBytes} bytes, the most that the gateway takes.`,
        { data: { status: 413 } },
      );
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
