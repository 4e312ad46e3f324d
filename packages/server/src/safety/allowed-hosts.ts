import { isIP } from 'node:net';

/**
 * Whether a request's Host header is one of ours. A page of another site that makes its own name point here (DNS rebinding) sends
 * that name; an address cannot be made to point anywhere, so addresses are let through.
 */
export function createHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    const name = hostName(host);
    return name !== undefined && (isIP(name) !== 0 || allowed.has(name));
  };
}

/** Without the port, and an IPv6 address without its brackets. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/@]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
