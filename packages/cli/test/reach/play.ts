import type { ChatMessage } from '@longhaul/protocol';
import { type Script, type ScriptToolCall, toolResults } from '@longhaul/scripted-model';

/** One call of the scripted model. */
export interface Step {
  call: ScriptToolCall;
  /** What its result must contain. */
  expected: RegExp;
}

/**
 * A model that makes one call after the other. It remembers which calls it made, also those that a compaction hid or
 * whose process was killed: a call is made again only if the answer with it was lost.
 */
export class Play {
  readonly #steps: readonly Step[];
  /** By step, the result that the model received. */
  readonly results: string[] = [];
  readonly requests: (readonly ChatMessage[])[] = [];

  constructor(steps: readonly Step[]) {
    this.#steps = steps;
  }

  readonly script: Script = ({ messages, asksForSummary }) => {
    if (asksForSummary) return 'The door is being painted.';
    this.requests.push(messages);
    const last = toolResults(messages).find(({ id }) => id === this.#id);
    if (last !== undefined) this.results.push(last.result);
    const step = this.#steps[this.results.length];
    if (step === undefined) return 'All is painted.';
    return { text: `Step ${this.results.length}.`, toolCalls: [{ ...step.call, id: this.#id }] };
  };

  /** Ids of all calls that the model made, oldest first. */
  get ids(): string[] {
    return this.results.map((_, index) => `call_${index}`);
  }

  get #id(): string {
    return `call_${this.results.length}`;
  }
}
