import { isObject } from './json.ts';
import type { Session } from './message.ts';

/** What a token of the server may do. `admin`: everything. `work`: use its sessions. `read`: read its sessions. */
export const TOKEN_SCOPES = ['admin', 'work', 'read'] as const;
export type TokenScope = (typeof TOKEN_SCOPES)[number];

/** The name of the first token of a server. Sessions of the terminal belong to it, too. */
export const ADMIN_NAME = 'admin';

/** What the tokens of others may do with a session: nothing, read it, or also work in it. */
export const SHARES = ['none', 'read', 'work'] as const;
export type Share = (typeof SHARES)[number];

/** Key in the session's metadata. Only the server and the terminal set it. Children have the owner of their parent. */
export const ACCESS_KEY = 'access';

/** Who may use a session. */
export interface SessionAccess {
  /** The name of the token that created the session. */
  owner: string;
  shared: Share;
}

/** Returns who may use a session. What cannot be read belongs to the admin alone. */
export function accessOf({ metadata }: Pick<Session, 'metadata'>): SessionAccess {
  const stored = metadata?.[ACCESS_KEY];
  const { owner, shared } = isObject(stored) ? stored : {};
  return {
    owner: typeof owner === 'string' && owner !== '' ? owner : ADMIN_NAME,
    shared: SHARES.find((share) => share === shared) ?? 'none',
  };
}

/** Whether the token of this name may read the session. An admin may read all, whatever this returns. */
export function maySee(name: string, session: Pick<Session, 'metadata'>): boolean {
  const { owner, shared } = accessOf(session);
  return owner === name || shared !== 'none';
}

/** Returns the metadata that stores who may use a session. */
export function accessMetadata({ owner, shared }: SessionAccess): {
  [ACCESS_KEY]: { owner: string; shared: Share };
} {
  return { [ACCESS_KEY]: { owner, shared } };
}
