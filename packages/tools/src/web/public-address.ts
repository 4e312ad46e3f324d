import { BlockList, isIP } from 'node:net';

/** Addresses of IPv4 that are not of the public internet. https://www.iana.org/assignments/iana-ipv4-special-registry */
const SPECIAL_V4: readonly (readonly [network: string, bits: number, kind: string])[] = [
  ['0.0.0.0', 8, 'this machine'],
  ['10.0.0.0', 8, 'a private network'],
  ['100.64.0.0', 10, 'a carrier’s network'],
  ['127.0.0.0', 8, 'this machine'],
  ['169.254.0.0', 16, 'the local link'],
  ['172.16.0.0', 12, 'a private network'],
  ['192.0.0.0', 24, 'a reserved network'],
  ['192.0.2.0', 24, 'a reserved network'],
  ['192.88.99.0', 24, 'a reserved network'],
  ['192.168.0.0', 16, 'a private network'],
  ['198.18.0.0', 15, 'a reserved network'],
  ['198.51.100.0', 24, 'a reserved network'],
  ['203.0.113.0', 24, 'a reserved network'],
  ['224.0.0.0', 4, 'multicast'],
  ['240.0.0.0', 4, 'a reserved network'],
];

/**
 * Parts of the global addresses of IPv6 that are not public, or that lead to an address of IPv4 that nobody has checked.
 * https://www.iana.org/assignments/iana-ipv6-special-registry
 */
const SPECIAL_V6: readonly (readonly [network: string, bits: number])[] = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
];

/** All others are of this machine, of a private network or reserved. */
const GLOBAL_V6 = listOf([['2000::', 3]]);
const REFUSED_V6 = listOf(SPECIAL_V6);
const REFUSED_V4 = SPECIAL_V4.map(([network, bits, kind]) => {
  const list = new BlockList();
  list.addSubnet(network, bits, 'ipv4');
  return { list, kind };
});

/**
 * Returns where an address leads if that is not the public internet, such as `this machine`. An address of IPv6 that
 * contains one of IPv4 leads where that leads.
 */
export function specialKind(address: string): string | undefined {
  const [plain = ''] = address.split('%');
  if (isIP(plain) === 4) return REFUSED_V4.find(({ list }) => list.check(plain, 'ipv4'))?.kind;
  if (isIP(plain) !== 6) return 'no address';
  const inner = innerV4(plain);
  if (inner !== undefined) return specialKind(inner);
  if (GLOBAL_V6.check(plain, 'ipv6') && !REFUSED_V6.check(plain, 'ipv6')) return undefined;
  return plain === '::1' || plain === '::' ? 'this machine' : 'a private or reserved network';
}

function listOf(subnets: readonly (readonly [string, number])[]): BlockList {
  const list = new BlockList();
  for (const [network, bits] of subnets) list.addSubnet(network, bits, 'ipv6');
  return list;
}

/** Mapped addresses, and those of NAT64, which networks without IPv4 use for all of it. */
const WITH_V4 = /^(?:::ffff:|64:ff9b::)(?:([0-9a-f]{1,4}):)?([0-9a-f]{1,4})$/;

function innerV4(address: string): string | undefined {
  // The URL parser writes every address in one form.
  const written = URL.parse(`http://[${address}]`)?.hostname.slice(1, -1) ?? '';
  const [, high = '0', low] = WITH_V4.exec(written) ?? [];
  if (low === undefined) return undefined;
  const [first, second] = [Number.parseInt(high, 16), Number.parseInt(low, 16)];
  return [first >> 8, first & 255, second >> 8, second & 255].join('.');
}
