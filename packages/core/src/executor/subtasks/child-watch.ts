import type { LonghaulEvent, SubtaskFacts, SubtaskState } from '@longhaul/protocol';

/** Follows the events of one child, and keeps what the parent shows of it. */
export class ChildWatch {
  #facts: SubtaskFacts;

  constructor(facts: SubtaskFacts) {
    this.#facts = facts;
  }

  get facts(): SubtaskFacts {
    return this.#facts;
  }

  /** Returns true if the facts have changed. */
  take(event: LonghaulEvent): boolean {
    const change = changeBy(event, this.#facts);
    if (change === undefined) return false;
    this.#facts = { ...this.#facts, ...change };
    return true;
  }

  /** The child is now in this state. */
  enter(state: SubtaskState): SubtaskFacts {
    this.#facts = { ...this.#facts, state };
    return this.#facts;
  }
}

function changeBy(event: LonghaulEvent, facts: SubtaskFacts): Partial<SubtaskFacts> | undefined {
  switch (event.type) {
    case 'llm:tool-call':
      return { title: event.toolName };
    case 'llm:tool-progress':
      return event.title === undefined ? undefined : { title: event.title };
    case 'llm:tool-result':
      return event.title === undefined ? undefined : { title: event.title };
    case 'llm:response':
      return {
        steps: (facts.steps ?? 0) + 1,
        tokens: (facts.tokens ?? 0) + (event.tokenUsage?.totalTokens ?? 0),
      };
    case 'context:usage':
      return { contextPercent: Math.round((100 * event.tokens) / Math.max(1, event.usableTokens)) };
    default:
      return undefined;
  }
}
