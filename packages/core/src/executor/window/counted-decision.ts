import type { RequestDecision, ViewEntry } from '@longhaul/context/engine';
import type { BlobStore, ModelDriver, ToolSchema } from '../../ports/index.ts';
import { expandBlobReferences } from '../../session/messages/media.ts';
import type { ContextWindow } from './context-window.ts';

export interface CountedDecisionOptions {
  window: ContextWindow;
  driver: ModelDriver;
  blobs: BlobStore;
  tools: () => readonly ToolSchema[];
}

/** The provider counts a request whose predicted size is within this share of the trigger. */
const NEAR = 0.05;

/**
 * Decides on the next request. Near the trigger, where an estimate can be wrong about a compaction, it uses the size
 * that the provider counts, if it can. Other requests do not wait for a count.
 */
export class CountedDecision {
  readonly #options: CountedDecisionOptions;
  /** The request that was counted last. It is not counted again, for example in a retry. */
  #counted: { last: ViewEntry['message'] | undefined; length: number; system: string } | undefined;

  constructor(options: CountedDecisionOptions) {
    this.#options = options;
  }

  async decide(signal: AbortSignal): Promise<RequestDecision> {
    const { window } = this.#options;
    const decision = window.decide();
    if (decision.action === 'refuse' || !this.#isNear(decision.predictedTokens)) return decision;
    const tokens = await this.#count(decision.entries, signal);
    if (tokens === undefined) return decision;
    window.counted(decision, tokens);
    return window.decide();
  }

  #isNear(predictedTokens: number): boolean {
    const { dueTokens } = this.#options.window;
    return Math.abs(predictedTokens - dueTokens) <= dueTokens * NEAR;
  }

  async #count(entries: readonly ViewEntry[], signal: AbortSignal): Promise<number | undefined> {
    const { window, driver, blobs, tools } = this.#options;
    if (driver.countTokens === undefined) return undefined;
    const { system } = window;
    const last = entries.at(-1)?.message;
    const known = this.#counted;
    if (known?.last === last && known?.length === entries.length && known.system === system) return undefined;
    this.#counted = { last, length: entries.length, system };
    const messages = await expandBlobReferences(
      entries.map((entry) => entry.message),
      // `ModelCaller` reports media that the model does not accept.
      { blobs, accepts: driver.info.accepts, onUnsupported: () => undefined },
    );
    return driver.countTokens({ system, messages, tools: tools(), signal });
  }
}
