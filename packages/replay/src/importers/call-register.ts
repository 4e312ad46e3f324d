import type { Message, ToolPart } from '@longhaul/protocol';
import { argumentsText } from './part-text.ts';
import { RecentKeys } from './recent-keys.ts';
import { SeenKeys } from './seen-keys.ts';

/** A message under construction. */
export interface Draft {
  message: Message;
  /** The key that its rows share. */
  key: string | undefined;
  /** Number of calls without a result. */
  openCalls: number;
  chars: number;
}

export interface OpenCall {
  part: ToolPart;
  draft: Draft;
}

/**
 * Tracks the calls without a result by their id in the file. Files reuse ids: some servers number the calls of each
 * response from 0, and some files have their ids redacted. Results answer the calls of one step with the same id in
 * order. A call in a later step ends the wait for the results of earlier calls with the same id.
 */
export class CallRegister {
  readonly #open = new Map<string, OpenCall[]>();
  readonly #known = new SeenKeys();
  /** Number of uses of each reused id. */
  readonly #rounds = new Map<string, number>();
  readonly #answered = new RecentKeys(4096);

  /** Returns an id that no other call has: the id in the file, or that id with a number appended. */
  uniqueId(id: string): string {
    if (this.#known.add(id)) return id;
    let round = (this.#rounds.get(id) ?? 1) + 1;
    while (!this.#known.add(`${id}#${round}`)) round += 1;
    this.#rounds.set(id, round);
    return `${id}#${round}`;
  }

  /** Whether the same call is already open in the same step, so that its row is a duplicate. */
  isRepeated(id: string, draft: Draft, call: { name: string; arguments: string | undefined }): boolean {
    const calls = this.#open.get(id) ?? [];
    return calls.some(
      ({ part, draft: owner }) =>
        owner === draft && part.name === call.name && argumentsText(part) === call.arguments,
    );
  }

  open(id: string, call: OpenCall): void {
    const waiting = this.#open.get(id) ?? [];
    const ofStep = waiting.filter(({ draft }) => draft === call.draft);
    for (const { draft } of waiting) if (draft !== call.draft) draft.openCalls -= 1;
    this.#open.set(id, [...ofStep, call]);
    call.draft.openCalls += 1;
  }

  /** Returns the call that a result with this id answers, and closes it. */
  take(id: string): OpenCall | undefined {
    const waiting = this.#open.get(id) ?? [];
    const call = waiting.shift();
    if (waiting.length === 0) this.#open.delete(id);
    if (call === undefined) return undefined;
    this.#answered.add(id);
    call.draft.openCalls -= 1;
    return call;
  }

  takeOldest(): OpenCall | undefined {
    for (const id of this.#open.keys()) return this.take(id);
    return undefined;
  }

  wasAnswered(id: string): boolean {
    return this.#answered.has(id);
  }

  /** Closes the open calls of a message that closes. Their results remain unknown. */
  giveUp(draft: Draft): void {
    if (draft.openCalls === 0) return;
    for (const [id, waiting] of this.#open) {
      const others = waiting.filter((call) => call.draft !== draft);
      if (others.length === 0) this.#open.delete(id);
      else this.#open.set(id, others);
    }
  }
}
