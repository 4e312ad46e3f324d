import type { IncomingMessage } from 'node:http';
import { isLoopback } from '@longhaul/models';

/**
 * A page of the web may let its own name point to 127.0.0.1 (DNS rebinding): its requests come with that name. Requests to a service of
 * this machine name this machine.
 */
export function namesThisMachine({ headers }: IncomingMessage, ownHost: string): boolean {
  // Only HTTP/1.0 leaves it out, which no browser speaks.
  if (headers.host === undefined) return true;
  const name = hostname(headers.host);
  return name !== undefined && (isLoopback(name) || name.endsWith('.localhost') || name === ownHost);
}

function hostname(host: string): string | undefined {
  if (!URL.canParse(`http://${host}`)) return undefined;
  return new URL(`http://${host}`).hostname.replace(/^\[|\]$/g, '').toLowerCase();
}
