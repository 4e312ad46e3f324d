import type { LonghaulEvent, SubtaskFacts, SubtaskState } from '@longhaul/protocol';

/** Follows the events of one child, and keeps what the parent shows of it. */
export class ChildWatch {
  #facts: SubtaskFacts;
  /** The names of its calls that run: their progress has only a title. */
  readonly #tools = new Map<string, string>();

  constructor(facts: SubtaskFacts) {
    this.#facts = facts;
  }

  get facts(): SubtaskFacts {
    return this.#facts;
  }

  /** Returns true if the facts have changed. */
  take(event: LonghaulEvent): boolean {
    const change = this.#changeBy(event);
    if (change === undefined) return false;
    this.#facts = { ...this.#facts, ...change };
    return true;
  }

  /** The child is now in this state. */
  enter(state: SubtaskState): SubtaskFacts {
    this.#facts = { ...this.#facts, state };
    return this.#facts;
  }

  #changeBy(event: LonghaulEvent): Partial<SubtaskFacts> | undefined {
    switch (event.type) {
      case 'llm:tool-call':
        this.#tools.set(event.callId, event.toolName);
        return { title: event.toolName };
      case 'llm:tool-progress':
        return titled(this.#tools.get(event.callId), event.title);
      case 'llm:tool-result':
        this.#tools.delete(event.callId);
        return titled(event.toolName, event.title);
      case 'llm:response':
        return {
          steps: (this.#facts.steps ?? 0) + 1,
          tokens: (this.#facts.tokens ?? 0) + (event.tokenUsage?.totalTokens ?? 0),
        };
      case 'context:usage':
        return { contextPercent: Math.round((100 * event.tokens) / Math.max(1, event.usableTokens)) };
      default:
        return undefined;
    }
  }
}

/** `read parse.ts (300 lines)`. A title such as `.` says little without the tool. */
function titled(tool: string | undefined, title: string | undefined): { title: string } | undefined {
  if (title === undefined) return undefined;
  return { title: tool === undefined ? title : `${tool} ${title}` };
}
