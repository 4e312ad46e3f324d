import { rootOf, type Store } from '@longhaul/core';
import { ADMIN_NAME, accessMetadata, LonghaulError, type Session, type Share } from '@longhaul/protocol';
import { type Access, mayUse, type SessionNeed } from './access.ts';

/** Keeps requests to the sessions that their tokens may use. The first ancestor of a child decides about the child. */
export class SessionGate {
  readonly #store: Pick<Store, 'getSession'>;

  constructor(store: Pick<Store, 'getSession'>) {
    this.#store = store;
  }

  /**
   * @throws {LonghaulError} `session_not_found` for a session that the token may not see, as for one that does not exist;
   * `forbidden` for one that it may only see.
   */
  async assert(access: Access, sessionId: string, need: SessionNeed): Promise<void> {
    if (access.scope === 'admin') return;
    const root = await this.#rootOf(sessionId);
    if (root === undefined || !mayUse(access, root, 'see'))
      throw new LonghaulError('session_not_found', `There is no session ${sessionId.slice(0, 100)}.`);
    if (mayUse(access, root, need)) return;
    throw new LonghaulError(
      'forbidden',
      need === 'own'
        ? `Only the owner of this session or an admin may do this, not the token "${access.name}".`
        : `The token "${access.name}" may only read this session. Its owner can share it for work, or you can fork it.`,
    );
  }

  /** What the token may do with a session that it sees. */
  async may(access: Access, session: Session): Promise<SessionNeed> {
    const root = await rootOf(this.#store, session);
    return NEEDS.find((need) => mayUse(access, root, need)) ?? 'see';
  }

  async sees(access: Access, sessionId: string): Promise<boolean> {
    if (access.scope === 'admin') return true;
    const root = await this.#rootOf(sessionId);
    return root !== undefined && mayUse(access, root, 'see');
  }

  /** Leaves out the sessions that the token may not see. */
  async visible(access: Access, sessions: readonly Session[]): Promise<Session[]> {
    const areSeen = await Promise.all(sessions.map(({ id }) => this.sees(access, id)));
    return sessions.filter((_, index) => areSeen[index] === true);
  }

  async #rootOf(sessionId: string): Promise<Session | undefined> {
    const session = await this.#store.getSession(sessionId);
    return session && (await rootOf(this.#store, session));
  }
}

/** The most that a token may do comes first. */
const NEEDS: readonly SessionNeed[] = ['own', 'work', 'see'];

/** The metadata of a session that a request creates. */
export function ownedBy({ name }: Access, shared: Share = 'none') {
  return name === ADMIN_NAME && shared === 'none' ? {} : accessMetadata({ owner: name, shared });
}
