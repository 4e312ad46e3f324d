import { isIP } from 'node:net';

/**
 * Creates a check that a request's Host header names this server. It prevents DNS rebinding: a page of another site
 * that points its own name to this server sends that name. IP addresses are always allowed, because they cannot be
 * rebound, nor can `localhost` and names below it.
 */
export function createHostCheck(names: readonly string[]): (host: string | undefined) => boolean {
  const allowed = new Set(['localhost', ...names.map((name) => name.toLowerCase())]);
  return (host) => {
    const name = hostName(host);
    return name !== undefined && (isIP(name) !== 0 || allowed.has(name) || name.endsWith('.localhost'));
  };
}

/** Returns the host without the port, and an IPv6 address without its brackets. Undefined: the header is malformed. */
function hostName(host: string | undefined): string | undefined {
  const match = /^(?:\[([\da-f:.]+)\]|([^\s:[\]/@]+))(?::\d{1,5})?$/i.exec(host ?? '');
  return (match?.[1] ?? match?.[2])?.toLowerCase();
}
