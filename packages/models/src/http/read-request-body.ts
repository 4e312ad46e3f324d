import type { IncomingMessage } from 'node:http';
import { LonghaulError } from '@longhaul/protocol';
import { deferred } from '../tokenizers/deferred.ts';
import { watchBody } from './watch-body.ts';

export interface ReadRequestBodyOptions {
  maxBytes: number;
  /** Time without a byte after which reading stops. */
  stallMs: number;
}

/**
 * Reads the whole body of a request. Reading stops once the body is larger than `maxBytes`. The caller then answers,
 * and drains the rest for a short time, so that the client gets the response.
 *
 * @throws {LonghaulError} `request_too_large`; `request_timeout` if the body stops arriving; `invalid_request` if the
 * connection closed before the end of the body.
 */
export async function readRequestBody(
  incoming: IncomingMessage,
  { maxBytes, stallMs }: ReadRequestBodyOptions,
): Promise<Buffer> {
  if (Number(incoming.headers['content-length'] ?? 0) > maxBytes) throw requestTooLarge(maxBytes);
  const { promise, resolve, reject } = deferred<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  const fail = (error: LonghaulError) => {
    chunks.length = 0;
    settle(() => reject(error));
  };
  const onData = (chunk: Buffer) => {
    size += chunk.length;
    chunks.push(chunk);
    if (size > maxBytes) fail(requestTooLarge(maxBytes));
  };
  const onEnd = () => settle(() => resolve(Buffer.concat(chunks, size)));
  const onCut = () => fail(cutOff());
  const settle = (answer: () => void) => {
    watch[Symbol.dispose]();
    incoming.off('data', onData).off('end', onEnd).off('close', onCut);
    answer();
  };
  const watch = watchBody(incoming, { stallMs, onStall: fail });
  incoming.on('error', onCut).on('close', onCut).on('end', onEnd).on('data', onData);
  return promise;
}

function cutOff(): LonghaulError {
  return new LonghaulError('invalid_request', 'The connection closed before the end of the request body.');
}

function requestTooLarge(maxBytes: number): LonghaulError {
  return new LonghaulError(
    'request_too_large',
    `The body is larger than ${maxBytes} bytes, the limit of this operation.`,
    { data: { maxBytes } },
  );
}
