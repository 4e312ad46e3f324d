import { childPlaceOf, LonghaulError, type Session } from '@longhaul/protocol';
import type { CopyMerge, CopyMergeRequest, OwnFiles, Store } from '../../ports/index.ts';
import type { SessionCopies } from '../../session/files/session-copies.ts';
import { currentClaimant } from '../../session/leases/lease-owner.ts';
import { childrenOf } from '../../session/subtasks/family-tree.ts';

export interface ChildCopiesOptions {
  session: Session;
  store: Store;
  copies: SessionCopies;
}

/** What the parent's model reads of a patch. */
const MAX_PATCH_CHARS = 6_000;

/** The copies of the workspace in which children of one session work. */
export class ChildCopies {
  readonly #options: ChildCopiesOptions;
  /** Merges of one step run one after another: each begins with what the one before has written. */
  #merging: Promise<unknown> = Promise.resolve();

  constructor(options: ChildCopiesOptions) {
    this.#options = options;
  }

  /** Returns what a child has changed in its copy. Removes a copy without changes. Undefined: the child has no copy. */
  async changesOf(child: Session): Promise<OwnFiles | undefined> {
    if (childPlaceOf(child)?.files !== 'own') return undefined;
    const { copies } = this.#options;
    if (!(await copies.exists(child.id))) return { isChanged: false, text: '' };
    const { files, text } = await copies.changes(child.id, { maxChars: MAX_PATCH_CHARS });
    if (files.length > 0) return { isChanged: true, text };
    await copies.discard(child.id);
    return { isChanged: false, text: '' };
  }

  /**
   * Merges the copy of a child into the workspace of the session. The copy is removed if everything is merged.
   *
   * @param call Names the call. If it is repeated, it gets the first outcome.
   */
  merge({ handle, conflicts }: CopyMergeRequest, call: string): Promise<CopyMerge> {
    const merge = async () => {
      const child = await this.#idleChild(handle);
      const { session, copies } = this.#options;
      const labels = { ours: 'here', theirs: `task ${handle}` };
      const outcome = await copies.merge(session, child.id, { call, conflicts, labels });
      const isWhole = outcome.conflicts.length + outcome.left.length + outcome.skipped.length === 0;
      if (isWhole) await copies.discard(child.id);
      return { ...outcome, isWhole };
    };
    const merged = this.#merging.then(merge);
    this.#merging = merged.catch(() => undefined);
    return merged;
  }

  async discard(handle: string): Promise<void> {
    const child = await this.#idleChild(handle);
    await this.#options.copies.discard(child.id);
  }

  /** @throws {LonghaulError} `not_found`, `invalid_request` if the child still works. */
  async #idleChild(handle: string): Promise<Session> {
    const { store } = this.#options;
    const child = await this.#childOf(handle);
    if ((await store.leaseHolder(child.id, currentClaimant())) === undefined) return child;
    throw new LonghaulError('invalid_request', `The task ${handle} still runs. Wait for its result.`);
  }

  async #childOf(handle: string): Promise<Session> {
    const { session, store } = this.#options;
    const placed = (await childrenOf(store, session.id)).map((child) => ({
      child,
      place: childPlaceOf(child),
    }));
    const own = placed.filter(({ place }) => place?.files === 'own');
    const found = own.find(({ place }) => place?.handle === handle);
    if (found !== undefined) return found.child;
    throw noCopy(
      handle,
      own.map(({ place }) => place?.handle ?? ''),
    );
  }
}

function noCopy(handle: string, handles: readonly string[]): LonghaulError {
  const known = handles.length === 0 ? 'No task has one.' : `Tasks that had one: ${handles.join(', ')}.`;
  return new LonghaulError(
    'not_found',
    `The task ${JSON.stringify(handle.slice(0, 40))} has no copy of the files. ${known}`,
  );
}
