import { createHash, createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A server with the part of S3's interface that a blob store uses. It checks signatures and hashes as S3 does. */
export interface S3Server extends AsyncDisposable {
  /** Returns an address in its bucket, for `storage.blobs`. */
  url(prefix: string): string;
  /** Its keys, as variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly objects: Map<string, Uint8Array>;
  /** The requests so far, such as `PUT ab/cdef`. */
  readonly requests: string[];
  /** Answers the next requests with these statuses, first one first. 0: cuts the connection. */
  readonly failures: number[];
}

const BUCKET = 'bucket';
const ID = 'AKIDEXAMPLE';
const SECRET = 'secret-of-the-test';
/** Objects in one answer to a list. S3 returns a thousand. */
const PAGE = 3;

export async function startS3(): Promise<S3Server> {
  const objects = new Map<string, Uint8Array>();
  const requests: string[] = [];
  const failures: number[] = [];
  const server = createServer((request, response) => {
    void answer(request, response).catch((error: unknown) =>
      response.destroy(error instanceof Error ? error : undefined),
    );
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = Buffer.concat(await request.toArray());
    const url = new URL(request.url ?? '', `http://127.0.0.1:${port}`);
    const [, bucket = '', ...names] = url.pathname.split('/');
    const key = names.join('/');
    requests.push(`${request.method} ${key}${url.searchParams.has('list-type') ? 'list' : ''}`);
    const failure = failures.shift();
    if (failure === 0) return void response.destroy();
    if (failure !== undefined) return refuse(response, failure, 'InternalError');
    const problem = problemOf(request, url, body);
    if (problem !== undefined) return refuse(response, 403, problem);
    if (bucket !== BUCKET) return refuse(response, 404, 'NoSuchBucket');
    if (url.searchParams.get('list-type') === '2') return list(response, url.searchParams);
    const object = objects.get(key);
    if (request.method === 'PUT') objects.set(key, body);
    if (request.method === 'DELETE') objects.delete(key);
    if (request.method === 'PUT' || request.method === 'DELETE') return void response.end();
    if (object === undefined) return refuse(response, 404, 'NoSuchKey');
    const [, from, to] = /^bytes=(\d+)-(\d+)$/.exec(request.headers.range ?? '') ?? [];
    const part = from === undefined ? object : object.subarray(Number(from), Number(to) + 1);
    response.writeHead(from === undefined ? 200 : 206, { 'content-length': part.length });
    response.end(request.method === 'HEAD' ? undefined : part);
  }

  function list(response: ServerResponse, query: URLSearchParams): void {
    const from = query.get('continuation-token') ?? '';
    const keys = [...objects.keys()]
      .toSorted()
      .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > from);
    const page = keys.slice(0, PAGE);
    const entries = page.map(
      (key) => `<Contents><Key>${key}</Key><Size>${objects.get(key)?.length}</Size></Contents>`,
    );
    const rest = keys.length > PAGE ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
    response.end(
      `<?xml version="1.0"?><ListBucketResult><IsTruncated>${rest !== ''}</IsTruncated>${entries.join('')}${rest}</ListBucketResult>`,
    );
  }

  return {
    url: (prefix) => `s3://${BUCKET}/${prefix}?endpoint=http://127.0.0.1:${port}`,
    env: { AWS_ACCESS_KEY_ID: ID, AWS_SECRET_ACCESS_KEY: SECRET },
    objects,
    requests,
    failures,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}

function refuse(response: ServerResponse, status: number, code: string): void {
  response
    .writeHead(status)
    .end(`<Error><Code>${code}</Code><Message>Refused by the test.</Message></Error>`);
}

/** Computes the signature that the request should have. Source: https://docs.aws.amazon.com/AmazonS3/latest/API/sig-v4-header-based-auth.html */
function problemOf(request: IncomingMessage, url: URL, body: Buffer): string | undefined {
  const header = (name: string) => String(request.headers[name] ?? '');
  const [, id, day, region, signed = '', signature] =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d+)\/([^/]+)\/s3\/aws4_request, SignedHeaders=([^,]+), Signature=(\w+)$/.exec(
      header('authorization'),
    ) ?? [];
  if (id !== ID) return 'InvalidAccessKeyId';
  if (header('x-amz-content-sha256') !== sha256(body)) return 'XAmzContentSHA256Mismatch';
  const query = [...url.searchParams]
    .map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`)
    .toSorted()
    .join('&');
  const headers = signed.split(';').map((name) => `${name}:${header(name)}\n`);
  const canonical = [request.method, url.pathname, query, headers.join(''), signed, sha256(body)].join('\n');
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', header('x-amz-date'), scope, sha256(canonical)].join('\n');
  let key: Buffer | string = `AWS4${SECRET}`;
  for (const name of [day, region, 's3', 'aws4_request']) key = hmac(key, name ?? '');
  return hmac(key, text).toString('hex') === signature ? undefined : 'SignatureDoesNotMatch';
}

function sha256(data: Buffer | string): string {
  return createHash('sha256').update(data).digest('hex');
}

function hmac(key: Buffer | string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
