import type { TokenUsage } from '@longhaul/protocol';
import type { Sandbox } from '../../ports/index.ts';

/** What a running parent shares with a child that it runs. */
export interface FamilyLink {
  sandbox: Sandbox;
  /** Counts what the child uses for the parent. */
  account: { addOfChild(spent: Spent): void };
  /** The parent's clock does not run while a person decides about a call of the child. */
  clock: { stop(): Disposable };
  /** The limit of the parent, or of its own parent, that is reached. */
  reachedLimit(): string | undefined;
}

/** A model call as it is counted. */
export interface Spent {
  reported: TokenUsage | undefined;
  /** US dollars. Undefined: no price is known. */
  cost: number | undefined;
  /** What counts for limits. */
  counted: TokenUsage;
  countedCost: number;
}

/** The children that parents of this process run now. */
export class Families {
  readonly #links = new Map<string, FamilyLink>();

  connect(childId: string, link: FamilyLink): Disposable {
    this.#links.set(childId, link);
    return { [Symbol.dispose]: () => this.#links.delete(childId) };
  }

  /** Undefined if the session is no child, or runs without its parent. */
  linkOf(sessionId: string): FamilyLink | undefined {
    return this.#links.get(sessionId);
  }
}
