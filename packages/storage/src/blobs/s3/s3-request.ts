import { setTimeout as sleep } from 'node:timers/promises';
import { AwsV4Signer } from 'aws4fetch';
import { objectUrl, type S3Address } from './s3-address.ts';
import { s3Refusal, s3Unreachable } from './s3-errors.ts';
import type { S3Credentials } from './s3-role.ts';

export interface S3Request {
  method: 'GET' | 'HEAD' | 'PUT' | 'DELETE';
  /** Empty: the bucket itself. */
  key: string;
  query?: Readonly<Record<string, string>>;
  headers?: Readonly<Record<string, string>>;
  body?: { content: Uint8Array<ArrayBuffer> | Blob; sha256: string; size: number };
}

export interface S3Connection {
  address: S3Address;
  credentials: () => Promise<S3Credentials>;
}

/** SHA-256 of an empty text. */
const EMPTY = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';
/** A request that failed is tried again after these pauses. Each can be repeated without harm. */
const PAUSES_MS = [100, 500, 2_000];
const TRY_AGAIN: ReadonlySet<number> = new Set([429, 500, 502, 503, 504]);
const SHORTEST_MS = 15_000;
/** A transfer may take as long as it takes at this speed. */
const SLOWEST_BYTES_PER_MS = 50;
/** Of an object that is read, the size is not known. */
const UNKNOWN_BYTES = 30_000_000;

/**
 * Sends a signed request. Returns the answer if its status is one of `expected`. Its body must be read or cancelled.
 *
 * @throws {LonghaulError} `store_unavailable`, `store_full`.
 */
export async function s3Request(
  connection: S3Connection,
  request: S3Request,
  expected: readonly number[],
): Promise<Response> {
  for (let attempt = 0; ; attempt += 1) {
    const pause = PAUSES_MS[attempt];
    const answer = await send(connection, request).catch((error: unknown) => s3Failure(error));
    if (answer instanceof Response) {
      if (expected.includes(answer.status)) return answer;
      if (pause === undefined || !TRY_AGAIN.has(answer.status))
        throw await s3Refusal(connection.address, answer);
      await answer.body?.cancel();
    } else if (pause === undefined) throw s3Unreachable(connection.address, answer);
    await sleep(pause);
  }
}

/** @throws What is no failure of the connection, such as missing credentials. */
function s3Failure(error: unknown): Error {
  if (error instanceof TypeError || error instanceof DOMException) return error;
  throw error;
}

async function send({ address, credentials }: S3Connection, request: S3Request): Promise<Response> {
  const { method, key, query = {}, headers = {}, body } = request;
  const url = objectUrl(address, key);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const keys = await credentials();
  const signed = await new AwsV4Signer({
    ...keys,
    method,
    url: url.href,
    // The server compares the body with this hash.
    headers: { ...headers, 'x-amz-content-sha256': body?.sha256 ?? EMPTY },
    service: 's3',
    region: address.region,
  }).sign();
  const bytes = body?.size ?? (method === 'GET' && query['list-type'] === undefined ? UNKNOWN_BYTES : 0);
  return fetch(signed.url, {
    method,
    headers: signed.headers,
    ...(body === undefined ? {} : { body: body.content }),
    // A redirected request would not fit its signature.
    redirect: 'manual',
    signal: AbortSignal.timeout(SHORTEST_MS + Math.round(bytes / SLOWEST_BYTES_PER_MS)),
  });
}
