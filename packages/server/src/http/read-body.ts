import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';

/**
 * Reads the whole body. Reading stops once the body is larger than `maxBytes`. The HTTP listener then drains the rest
 * for a short time, so that the client gets the response.
 *
 * @throws {LonghaulError} `request_too_large`; `invalid_request` if the connection closed before the end of the body.
 */
export async function readBody(incoming: IncomingMessage, maxBytes: number): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw tooLarge(maxBytes);
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxBytes) settle(() => reject(tooLarge(maxBytes)));
  };
  const onEnd = () => settle(() => resolve(Buffer.concat(chunks, size)));
  const onCut = () => settle(() => reject(cutOff()));
  const settle = (answer: () => void) => {
    incoming.off('data', onData).off('end', onEnd).off('close', onCut);
    chunks.splice(0, size > maxBytes ? chunks.length : 0);
    answer();
  };
  incoming.on('error', onCut).on('close', onCut).on('end', onEnd).on('data', onData);
  return promise;
}

function cutOff(): LonghaulError {
  return new LonghaulError('invalid_request', 'The connection closed before the end of the request body.');
}

function tooLarge(maxBytes: number): LonghaulError {
  return new LonghaulError(
    'request_too_large',
    `The body is larger than ${maxBytes} bytes, the limit of this operation.`,
    { data: { maxBytes } },
  );
}
