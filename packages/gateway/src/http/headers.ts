/** Headers as received: name, value, name, value… Case, order and repetitions are kept. */
export type RawHeaders = readonly string[];

/** Headers of one connection, never passed on. Source: RFC 9110, 7.6.1. */
const HOP_BY_HOP: ReadonlySet<string> = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/**
 * Never passed on, in neither direction: cookies belong to the pages of this machine, of all its ports, and an upstream
 * must not set one for them.
 */
const COOKIES: ReadonlySet<string> = new Set(['cookie', 'cookie2', 'set-cookie', 'set-cookie2']);

/** Headers in which clients send a key: `Authorization`, `x-api-key`, `X-Goog-Api-Key`, `Ocp-Apim-Subscription-Key`. */
const CREDENTIAL =
  /(?:^|[-_])(?:authorization|(?:api|access|subscription|auth)[-_]?key|token|secret|password|credentials?)$/;

/** Returns the headers for the next hop, without those named in `without` (lower case). */
export function passedOn(raw: RawHeaders, without: readonly string[] = []): string[] {
  const dropped = new Set([...connectionNames(raw), ...without]);
  return pairs(raw).flatMap(([name, value]) => {
    const key = name.toLowerCase();
    return HOP_BY_HOP.has(key) || COOKIES.has(key) || dropped.has(key) ? [] : [name, value];
  });
}

/** Returns the headers without a client's keys. */
export function withoutCredentials(raw: RawHeaders): string[] {
  return pairs(raw).flatMap(([name, value]) => (CREDENTIAL.test(name.toLowerCase()) ? [] : [name, value]));
}

/** Returns the first value of a header. `wanted` is lower case. */
export function headerOf(raw: RawHeaders, wanted: string): string | undefined {
  return pairs(raw).find(([name]) => name.toLowerCase() === wanted)?.[1];
}

function pairs(raw: RawHeaders): [string, string][] {
  return Array.from({ length: raw.length >> 1 }, (_, index) => [
    raw[index * 2] ?? '',
    raw[index * 2 + 1] ?? '',
  ]);
}

/** The headers that a `Connection` header names are hop-by-hop, too. */
function connectionNames(raw: RawHeaders): string[] {
  return pairs(raw)
    .filter(([name]) => name.toLowerCase() === 'connection')
    .flatMap(([, value]) => value.split(','))
    .map((name) => name.trim().toLowerCase());
}
