import type { Message, ToolPart } from '@longhaul/protocol';
import { argumentsText } from './part-text.ts';
import { RecentKeys } from './recent-keys.ts';
import { SeenKeys } from './seen-keys.ts';

/** A message that is being made. */
export interface Draft {
  message: Message;
  /** What its rows have in common. */
  key: string | undefined;
  /** Calls that wait for their result. */
  openCalls: number;
  chars: number;
}

export interface OpenCall {
  part: ToolPart;
  draft: Draft;
}

/**
 * Which calls wait for a result, by the id that the file gives them. Files use an id again: servers count anew in each response, and ids
 * are blanked out. Within a step results answer the calls of one id in order; a call of a later step gives up those before it.
 */
export class CallRegister {
  readonly #open = new Map<string, OpenCall[]>();
  readonly #known = new SeenKeys();
  /** Of ids that were used again, how often. */
  readonly #rounds = new Map<string, number>();
  readonly #answered = new RecentKeys(4096);

  /** An id that no call has yet: the file's own, or with a number behind it. */
  uniqueId(id: string): string {
    if (this.#known.add(id)) return id;
    let round = (this.#rounds.get(id) ?? 1) + 1;
    while (!this.#known.add(`${id}#${round}`)) round += 1;
    this.#rounds.set(id, round);
    return `${id}#${round}`;
  }

  /** Whether the same call waits already in the same step: then its row stands in the file twice. */
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

  /** The call that a result with this id answers. */
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

  /** The message closes: what its calls returned is not known. */
  giveUp(draft: Draft): void {
    if (draft.openCalls === 0) return;
    for (const [id, waiting] of this.#open) {
      const others = waiting.filter((call) => call.draft !== draft);
      if (others.length === 0) this.#open.delete(id);
      else this.#open.set(id, others);
    }
  }
}
