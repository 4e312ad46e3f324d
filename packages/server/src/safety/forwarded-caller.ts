import type { IncomingMessage } from 'node:http';
import { BlockList, isIP } from 'node:net';
import { LonghaulError } from '@longhaul/protocol';
import type { Caller } from './guard.ts';

/** Returns who sends a request. */
export type CallerReader = (incoming: IncomingMessage) => Caller;

/**
 * Creates a reader of the callers of requests. From a trusted proxy, the client's address and the host come from
 * `X-Forwarded-For` and `X-Forwarded-Host`. The headers of all others are ignored, because anybody can send them.
 *
 * @param proxies Addresses, or ranges such as `10.0.0.0/8`.
 * @throws {LonghaulError} `config_invalid` for something else.
 */
export function createCallerReader(proxies: readonly string[]): CallerReader {
  const trusted = trustedAddresses(proxies);
  const isTrusted = (address: string) => trusted.check(address, isIP(address) === 6 ? 'ipv6' : 'ipv4');
  return (incoming) => {
    const { headers, socket } = incoming;
    const peer = plainAddress(socket.remoteAddress ?? '') ?? '';
    const isForwarded = peer !== '' && isTrusted(peer);
    const forwardedHost = isForwarded ? lastOf(headers['x-forwarded-host']) : undefined;
    return {
      address: isForwarded ? clientOf(headers['x-forwarded-for'], { peer, isTrusted }) : peer,
      host: forwardedHost ?? headers.host,
      origin: headers.origin,
      fetchSite: lastOf(headers['sec-fetch-site']),
      authorization: headers.authorization,
    };
  };
}

/** Each proxy appends the address that it has seen. So the last one that is no proxy is the client. */
function clientOf(
  header: string | string[] | undefined,
  { peer, isTrusted }: { peer: string; isTrusted: (address: string) => boolean },
): string {
  let client = peer;
  for (const entry of itemsOf(header).toReversed()) {
    const address = plainAddress(entry);
    if (address === undefined) return client;
    client = address;
    if (!isTrusted(address)) return client;
  }
  return client;
}

function lastOf(header: string | string[] | undefined): string | undefined {
  return itemsOf(header).at(-1);
}

function itemsOf(header: string | string[] | undefined): string[] {
  const text = Array.isArray(header) ? header.join(',') : (header ?? '');
  return text
    .split(',')
    .map((item) => item.trim())
    .filter((item) => item !== '');
}

/** Returns an address without a port, brackets, and the prefix of IPv4 addresses. Undefined: it is none. */
function plainAddress(text: string): string | undefined {
  const [, bracketed, withPort] = /^(?:\[([^\]]+)\](?::\d+)?|([\d.]+):\d+)$/.exec(text) ?? [];
  const address = (bracketed ?? withPort ?? text).replace(/^::ffff:(?=[\d.]+$)/i, '');
  return isIP(address) === 0 ? undefined : address;
}

function trustedAddresses(proxies: readonly string[]): BlockList {
  const list = new BlockList();
  for (const proxy of proxies) {
    const [address = '', bits, ...others] = proxy.split('/');
    const family = isIP(address) === 6 ? 'ipv6' : 'ipv4';
    const isRange =
      bits !== undefined && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 'ipv6' ? 128 : 32);
    if (isIP(address) === 0 || others.length > 0 || (bits !== undefined && !isRange)) throw noAddress(proxy);
    if (bits === undefined) list.addAddress(address, family);
    else list.addSubnet(address, Number(bits), family);
  }
  return list;
}

function noAddress(proxy: string): LonghaulError {
  return new LonghaulError(
    'config_invalid',
    `server.trustProxy contains ${JSON.stringify(proxy.slice(0, 100))}, which is no address. Write the address of the proxy, such as 127.0.0.1, or a range, such as 10.0.0.0/8.`,
  );
}
