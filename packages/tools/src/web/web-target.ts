import { promises as dns, type LookupAddress } from 'node:dns';
import { isIP } from 'node:net';
import { untilAborted } from '@longhaul/core';
import { matchesPattern } from '@longhaul/protocol';
import { specialKind } from './public-address.ts';
import { WebRefusal } from './web-refusal.ts';

/** An address to read, with the addresses of its host that were checked. */
export interface WebTarget {
  url: URL;
  addresses: readonly LookupAddress[];
}

export type Lookup = (host: string) => Promise<readonly LookupAddress[]>;

export interface TargetRules {
  /** Hosts that may be on this machine or a private network: names or addresses, with a port or without. */
  privateHosts: readonly string[];
  /** Default: the resolver of the system. */
  lookup?: Lookup | undefined;
  signal: AbortSignal;
}

const resolveBySystem: Lookup = (host) => dns.lookup(host, { all: true, verbatim: true });

/**
 * Resolves the host once. The request must use these addresses and no others: another answer of the resolver could lead
 * elsewhere.
 *
 * @throws {WebRefusal} if one of them is not of the public internet, and the host is not allowed.
 */
export async function resolveTarget(url: URL, rules: TargetRules): Promise<WebTarget> {
  const host = withoutBrackets(url.hostname);
  const family = isIP(host);
  const addresses = family === 0 ? await resolveName(host, rules) : [{ address: host, family }];
  for (const { address } of addresses) requirePublic(url, address, rules);
  return { url, addresses };
}

/** Refuses an address whose host is written as a number that is not of the public internet. Resolves no name. */
export function refuseSpecialAddress(url: URL, rules: TargetRules): void {
  const host = withoutBrackets(url.hostname);
  if (isIP(host) !== 0) requirePublic(url, host, rules);
}

function requirePublic(url: URL, address: string, { privateHosts }: TargetRules): void {
  const kind = specialKind(address);
  if (kind !== undefined && !isAllowed(url, privateHosts))
    throw new WebRefusal(refusalOf(url, { address, kind }));
}

function withoutBrackets(hostname: string): string {
  return hostname.replace(/^\[|\]$/g, '');
}

async function resolveName(
  host: string,
  { lookup = resolveBySystem, signal }: TargetRules,
): Promise<readonly LookupAddress[]> {
  // The resolver of the system cannot be stopped: its answer is ignored after an abort.
  const found = await untilAborted(lookup(host), signal).catch((error: unknown) => {
    signal.throwIfAborted();
    const code = error instanceof Error && 'code' in error ? ` (${String(error.code)})` : '';
    throw new WebRefusal(`The name ${host} cannot be resolved${code}. Check its spelling.`);
  });
  if (found.length === 0) throw new WebRefusal(`The name ${host} has no address.`);
  return found;
}

function isAllowed(url: URL, hosts: readonly string[]): boolean {
  return hosts.some((entry) =>
    [url.hostname, `${url.hostname}:${portOf(url)}`].some((each) =>
      matchesPattern(entry.toLowerCase(), each),
    ),
  );
}

function portOf({ port, protocol }: URL): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port;
}

function refusalOf({ hostname }: URL, { address, kind }: { address: string; kind: string }): string {
  const what = withoutBrackets(hostname) === address ? address : `${hostname} (${address})`;
  return `${what} belongs to ${kind}, which fetch does not read. The user can allow the host with tools.fetch.privateHosts.`;
}
