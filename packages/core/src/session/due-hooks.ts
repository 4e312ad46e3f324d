import { isObject, type JsonObject, type Session } from '@longhaul/protocol';
import type { Store } from '../ports/index.ts';

/** Keys in the session's metadata. */
const BEGUN = 'hooksBegun';
const COMPACTION = 'hooksAfterCompaction';
const END = 'hooksOfEnd';

/** A compaction whose `compaction.after` hooks have to run. */
export interface BegunCompaction {
  reason: string;
  /** Round of the compaction before it, or 0. It was made if the session has a later one. */
  afterRound: number;
}

/**
 * Which hooks of a session have to run because of something that happened. A hook is due until its effect is stored, so
 * the next run of a killed process runs it.
 */
export class DueHooks {
  readonly #store: Store;
  readonly #sessionId: string;
  #metadata: JsonObject;

  constructor(store: Store, { id, metadata = {} }: Pick<Session, 'id' | 'metadata'>) {
    this.#store = store;
    this.#sessionId = id;
    this.#metadata = metadata;
  }

  get isStartDue(): boolean {
    return this.#metadata[BEGUN] !== true;
  }

  startHasRun(): Promise<void> {
    return this.#save({ [BEGUN]: true });
  }

  get compaction(): BegunCompaction | undefined {
    const value = this.#metadata[COMPACTION];
    if (!isObject(value)) return undefined;
    const { reason, afterRound } = value;
    return typeof reason === 'string' && typeof afterRound === 'number' ? { reason, afterRound } : undefined;
  }

  compactionBegins(begun: BegunCompaction): Promise<void> {
    return this.#save({ [COMPACTION]: { ...begun } });
  }

  compactionHasEnded(): Promise<void> {
    return this.#save({ [COMPACTION]: null });
  }

  /** Whether a run has begun whose end has not been accepted. */
  get isEndDue(): boolean {
    return isEndDue({ metadata: this.#metadata });
  }

  /** Call it when a run begins: its process can stop at any time after the final answer. */
  endWillBeDue(): Promise<void> {
    return this.#save({ [END]: true });
  }

  endIsAccepted(): Promise<void> {
    return this.#save({ [END]: null });
  }

  async #save(metadata: JsonObject): Promise<void> {
    this.#metadata = { ...this.#metadata, ...metadata };
    await this.#store.updateSession(this.#sessionId, { metadata });
  }
}

/** Whether `run.end` hooks have to judge the last answer of a session. */
export function isEndDue({ metadata }: Pick<Session, 'metadata'>): boolean {
  return metadata?.[END] === true;
}
