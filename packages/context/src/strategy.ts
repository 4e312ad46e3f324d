import type { Mark, Message } from '@longhaul/protocol';
import type { Budget, Trigger } from './budget.ts';
import type { ActiveMarks, ContextLog } from './log.ts';
import type { RequestMeter } from './request-size.ts';
import type { ViewEntry } from './view.ts';

/** What a strategy looks at. Nothing in it may be changed. */
export interface PlanInput {
  readonly log: ContextLog;
  readonly marks: ActiveMarks;
  /** The view as it is now. */
  readonly entries: readonly ViewEntry[];
  readonly budget: Budget;
  readonly meter: RequestMeter;
  /** 1 for the session's first compaction. */
  readonly round: number;
}

/** What a strategy decides: which messages to hide, and how to write what stands for them. It never edits the log. */
export interface CompactionPlan {
  /** Ids of messages that are visible now and shall be hidden. Empty: nothing is old enough. */
  readonly hides: readonly string[];
  /** Further marks of the plan, such as cuts of kept messages that are too large alone. */
  readonly marks: readonly Mark[];
  /** Whether a model is to write a narrative. */
  readonly wantsNarrative: boolean;
}

/**
 * When to compact and what to keep verbatim. The summary itself is written by the one pipeline for all, and so are the rules that hold
 * for all: the first user message and pinned messages are never hidden.
 */
export interface CompressionStrategy {
  readonly name: string;
  readonly trigger: Trigger;
  plan(input: PlanInput): Promise<CompactionPlan>;
}

/** Messages of the view that a strategy may hide, in order. */
export function hideableMessages(input: PlanInput): Message[] {
  const first = input.log.messages.find(
    (message) => message.role === 'user' && message.metadata?.synthetic === undefined,
  );
  return input.entries
    .map((entry) => entry.source)
    .filter((message) => message !== undefined)
    .filter((message) => message !== first && !input.marks.pinned.has(message.id));
}
