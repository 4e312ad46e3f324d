import type { LlamaSequence, Token } from '../library/llama-types.ts';
import { commonLength } from './common-length.ts';
import { MIN_STATE_TOKENS, type StateStore } from './state-store.ts';

export interface Slot {
  readonly sequence: LlamaSequence;
}

interface OwnSlot extends Slot {
  isBusy: boolean;
  usedAt: number;
}

/** The sequences of a model's memory. Each keeps what it has read, for the next request that begins in the same way. */
export class Slots {
  readonly #slots: OwnSlot[];
  readonly #states: StateStore;
  readonly #waiting: (() => void)[] = [];
  #uses = 0;

  constructor(sequences: readonly LlamaSequence[], states: StateStore) {
    this.#slots = sequences.map((sequence) => ({ sequence, isBusy: false, usedAt: 0 }));
    this.#states = states;
  }

  /**
   * Takes the slot that has most of the tokens, once one is free, and leaves in it only what it has in common with them.
   * The caller gives it back with `release`.
   *
   * @throws The reason of the signal, if it aborts before a slot is free.
   */
  async take(tokens: readonly Token[], signal: AbortSignal): Promise<Slot> {
    const slot = await this.#free(tokens, signal);
    slot.isBusy = true;
    slot.usedAt = ++this.#uses;
    try {
      await this.#prepare(slot.sequence, tokens);
    } catch (thrown) {
      this.release(slot);
      throw thrown;
    }
    return slot;
  }

  release(slot: Slot): void {
    const own = this.#slots.find((each) => each === slot);
    if (own === undefined) return;
    own.isBusy = false;
    this.#waiting.shift()?.();
  }

  /** Stores the states of all slots. None may be in use. */
  async save(): Promise<void> {
    for (const { sequence } of this.#slots) await this.#states.save(sequence);
  }

  async #free(tokens: readonly Token[], signal: AbortSignal): Promise<OwnSlot> {
    for (;;) {
      signal.throwIfAborted();
      const best = this.#best(tokens);
      if (best !== undefined) return best;
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        signal.addEventListener(
          'abort',
          () => {
            const index = this.#waiting.indexOf(resolve);
            if (index >= 0) this.#waiting.splice(index, 1);
            resolve();
          },
          { once: true },
        );
      });
    }
  }

  /** A slot that has at least half of its tokens in common, else the one that was unused for the longest time. */
  #best(tokens: readonly Token[]): OwnSlot | undefined {
    const free = this.#slots
      .filter(({ isBusy }) => !isBusy)
      .map((slot) => ({ slot, common: commonLength(slot.sequence.contextTokens, tokens) }));
    const sharing = free
      .filter(({ slot, common }) => common > 0 && common * 2 >= slot.sequence.nextTokenIndex)
      .sort((left, right) => right.common - left.common)[0];
    return sharing?.slot ?? free.sort((left, right) => left.slot.usedAt - right.slot.usedAt)[0]?.slot;
  }

  async #prepare(sequence: LlamaSequence, tokens: readonly Token[]): Promise<void> {
    // The last token is read in any case, because the answer follows from it.
    const wanted = tokens.slice(0, -1);
    const common = commonLength(sequence.contextTokens, wanted);
    // Another session may come back for what is lost here.
    if (sequence.nextTokenIndex - common >= MIN_STATE_TOKENS) await this.#states.save(sequence);
    await this.#states.restore(sequence, wanted, common);
    await sequence.adaptStateToTokens(wanted, false);
  }
}
