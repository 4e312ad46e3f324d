import type { Readable } from 'node:stream';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Reads the answer of an upstream to its end.
 *
 * @throws {LonghaulError} `provider_bad_response` beyond `maxBytes`. Errors of the stream are rethrown as they are.
 */
export async function readBody(stream: Readable, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  // The stream stays open if reading stops early: its sender still has to get an answer.
  for await (const chunk of stream.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new LonghaulError(
        'provider_bad_response',
        `The answer is larger than ${maxBytes} bytes, the most that the gateway reads.`,
      );
    }
    chunks.push(chunk);
  }
  return chunks.length === 1 && chunks[0] !== undefined ? chunks[0] : Buffer.concat(chunks);
}
