import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';

/**
 * Whether the `Host` header names this machine. A web page can make its own name resolve to 127.0.0.1 (DNS rebinding).
 * Its requests then carry that name.
 */
export function namesThisMachine({ headers }: IncomingMessage, ownHost: string): boolean {
  // Only HTTP/1.0 clients omit it, and no browser is one.
  if (headers.host === undefined) return true;
  const name = hostname(headers.host);
  return name !== undefined && (isLoopback(name) || name.endsWith('.localhost') || name === ownHost);
}

function hostname(host: string): string | undefined {
  if (!URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
