import { type ClientRequest, type IncomingMessage, request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { WebRefusal } from './web-refusal.ts';
import type { WebTarget } from './web-target.ts';

/** An answer whose body was read whole. */
export interface WebResponse {
  status: number;
  /** Without parameters, in lower case. Empty: none was sent. */
  mediaType: string;
  charset: string | undefined;
  /** Where a redirect leads. */
  location: string | undefined;
  body: Uint8Array;
}

export interface RequestOptions {
  signal: AbortSignal;
  /** Of the body, before and after decompression. */
  maxBytes: number;
}

const HEADERS = {
  'user-agent': 'longhaul',
  accept: 'text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5',
  'accept-encoding': 'gzip, br',
};

/**
 * Sends one GET to one of the checked addresses. Follows no redirect, sends no cookies and no keys.
 *
 * @throws {WebRefusal} for a body that is too large or in an unknown form; errors of the connection; the signal's reason.
 */
export async function requestTarget(
  { url, addresses }: WebTarget,
  options: RequestOptions,
): Promise<WebResponse> {
  const { signal } = options;
  const send = url.protocol === 'https:' ? requestHttps : requestHttp;
  const sent = send(url, { agent: false, headers: HEADERS, signal, lookup: onlyTo(addresses) });
  requireChecked(sent, addresses);
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    // It stays: a request also fails after its answer has begun, and after an abort.
    sent.on('error', reject);
    sent.once('response', resolve);
    sent.end();
  });
  try {
    return {
      ...factsOf(response),
      body: isRedirect(response) ? new Uint8Array() : await readBody(response, options),
    };
  } finally {
    response.destroy();
  }
}

/** The name was resolved before: the connection gets these addresses, whatever the resolver says now. */
function onlyTo(addresses: WebTarget['addresses']): LookupFunction {
  return (_host, { all }, done) => {
    const [first] = addresses;
    if (all === true) done(null, [...addresses]);
    else if (first !== undefined) done(null, first.address, first.family);
    else done(new WebRefusal('There is no address.'), '', 0);
  };
}

function requireChecked(sent: ClientRequest, addresses: WebTarget['addresses']): void {
  sent.once('socket', (socket) => {
    socket.once('connect', () => {
      const isChecked = addresses.some(({ address }) => sameAddress(address, socket.remoteAddress));
      if (!isChecked)
        sent.destroy(new WebRefusal('The connection leads to an address that was not checked.'));
    });
  });
}

function sameAddress(checked: string, remote: string | undefined): boolean {
  const written = (address: string) => URL.parse(`http://[${address.split('%')[0]}]`)?.hostname ?? address;
  return remote !== undefined && (checked === remote || written(checked) === written(remote));
}

function factsOf({ statusCode = 0, headers }: IncomingMessage): Omit<WebResponse, 'body'> {
  const [mediaType = '', ...parameters] = (headers['content-type'] ?? '').split(';');
  const charset = parameters.map((each) => /^\s*charset\s*=\s*"?([^"\s]+)"?/i.exec(each)?.[1]).find(Boolean);
  return {
    status: statusCode,
    mediaType: mediaType.trim().toLowerCase(),
    charset,
    location: headers.location,
  };
}

const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

function isRedirect({ statusCode = 0, headers }: IncomingMessage): boolean {
  return REDIRECTS.has(statusCode) && headers.location !== undefined;
}

async function readBody(
  response: IncomingMessage,
  { maxBytes, signal }: RequestOptions,
): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of decompressed(response, { maxBytes, signal })) {
    if (!(chunk instanceof Uint8Array)) continue;
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    chunks.push(chunk);
  }
  signal.throwIfAborted();
  return Buffer.concat(chunks);
}

/** A body that was compressed more than once is refused: each layer could be a thousand times larger. */
function decompressed(response: IncomingMessage, { maxBytes, signal }: RequestOptions): Readable {
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === '') return response;
  const create = DECOMPRESSORS.get(encoding);
  if (create === undefined)
    throw new WebRefusal(`The body is compressed as ${encoding.slice(0, 50)}, which fetch cannot read.`);
  const stream = create();
  let received = 0;
  response.on('data', (chunk: Uint8Array) => {
    received += chunk.length;
    if (received > maxBytes) response.destroy(tooLarge(maxBytes));
  });
  // An error of the connection ends the decompression too.
  response.on('error', (error) => stream.destroy(error));
  signal.addEventListener('abort', () => stream.destroy(), { once: true });
  return response.pipe(stream);
}

const DECOMPRESSORS = new Map([
  ['gzip', createGunzip],
  ['x-gzip', createGunzip],
  ['br', createBrotliDecompress],
]);

function tooLarge(maxBytes: number): WebRefusal {
  return new WebRefusal(
    `The page has more than ${maxBytes / 1_000_000} MB. Download it with bash, for example with curl -o FILE.`,
  );
}
