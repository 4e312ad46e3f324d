import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';

/**
 * What is read of a body that is too large before it is answered: an answer while the client still sends would be lost with the
 * connection.
 */
const DRAIN_BYTES = 64 * 1024 * 1024;

/**
 * The whole body, at most `maxBytes` of it.
 *
 * @throws {LonghaulError} `request_too_large`; `invalid_request` when it was cut off.
 */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
      if (size > maxBytes + DRAIN_BYTES) break;
    }
  } catch (cause) {
    throw new LonghaulError('invalid_request', 'The request was cut off before its end.', { cause });
  }
  if (size > maxBytes) throw tooLarge(maxBytes);
  if (!incoming.complete) {
    throw new LonghaulError('invalid_request', 'The request was cut off before its end.');
  }
  return Buffer.concat(chunks, size);
}

function tooLarge(maxBytes: number): LonghaulError {
  return new LonghaulError(
    'request_too_large',
    `The body is larger than the ${maxBytes} bytes that this server takes here.`,
    { data: { maxBytes } },
  );
}
