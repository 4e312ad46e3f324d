import { isObject, parseJson } from '@longhaul/protocol';

/** What others know of a server. */
export interface KnownServer {
  machine: string;
  /** Whether it drives sessions. Otherwise it only answers requests. */
  isDriving: boolean;
  /** Of the program. */
  version: string;
  /** Where other servers reach it. Undefined: nowhere. */
  address?: string | undefined;
}

/** The name under which pg-boss shows a server to others, as long as it lives. */
export function serverName(server: KnownServer): string {
  return JSON.stringify(server);
}

/** Undefined: it is none of a server. */
export function parseServerName(name: string | null): KnownServer | undefined {
  const known = parseJson(name ?? '');
  if (!isObject(known)) return undefined;
  const { machine, isDriving, version, address } = known;
  if (typeof machine !== 'string' || typeof version !== 'string') return undefined;
  const reached = typeof address === 'string' ? address : undefined;
  return { machine, isDriving: isDriving === true, version, address: reached };
}
