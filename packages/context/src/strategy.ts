import type { Mark, Message } from '@longhaul/protocol';
import type { Budget, Trigger } from './budget.ts';
import { type ActiveMarks, type ContextLog, firstUserMessage } from './log.ts';
import type { NarrativeForm, Summarise } from './narrative.ts';
import type { RequestMeter } from './request-size.ts';
import type { Select } from './selection/select.ts';
import type { TokenCounter } from './tokens.ts';
import type { ViewEntry } from './view.ts';

/** As much of an `AbortSignal` as is looked at; the engine's own library knows none. */
export interface CancelSignal {
  readonly aborted: boolean;
}

/** What a strategy looks at. Nothing in it may be changed. */
export interface PlanInput {
  readonly log: ContextLog;
  readonly marks: ActiveMarks;
  /** The view as it is now. */
  readonly entries: readonly ViewEntry[];
  readonly budget: Budget;
  readonly meter: RequestMeter;
  /** Real tokens of a text, as this session's requests have taught. */
  readonly count: TokenCounter;
  /** 1 for the session's first compaction. */
  readonly round: number;
  /** Writes with a model; absent where none is to be asked, as in a replay. Throws on a cancel only, and that is to be passed on. */
  readonly summarise?: Summarise;
  /** Asks a model which messages to keep; as `summarise`. */
  readonly select?: Select;
  readonly signal?: CancelSignal;
}

/** What a strategy decides: which messages to hide, and how to write what stands for them. It never edits the log. */
export interface CompactionPlan {
  /** Ids of messages that are visible now and shall be hidden. Empty: nothing is old enough. */
  readonly hides: readonly string[];
  /** Further marks of the plan: cuts of kept messages that are too large alone, prunings. Their ids and times are given by `compact`. */
  readonly marks: readonly Mark[];
  /** Whether a model is to write a narrative. */
  readonly wantsNarrative: boolean;
  /** How it is asked for and laid out. Default: plain prose. */
  readonly narrativeForm?: NarrativeForm;
  /** A narrative that the strategy has written itself, in place of one that is asked for. */
  readonly narrative?: string;
  /** Things a person should know. */
  readonly warnings?: readonly string[];
}

/**
 * When to compact and what to keep verbatim. The summary itself is written by the one pipeline for all, and so are the rules that hold
 * for all: the first and the newest user message, pinned messages and the last message are never hidden.
 *
 * A `plan` that throws or plans what cannot be costs its rung of the ladder, never the session.
 */
export interface CompressionStrategy {
  readonly name: string;
  readonly trigger: Trigger;
  plan(input: PlanInput): Promise<CompactionPlan>;
  /**
   * Looks at the view before and after its plan. A text that comes back says what is wrong with it, and the plan is dropped.
   * It says nothing of what harder rungs do later.
   */
  validate?(before: readonly ViewEntry[], after: readonly ViewEntry[]): string | undefined;
}

/** Messages of the view that a strategy may hide, in order. */
export function hideableMessages(input: Pick<PlanInput, 'log' | 'marks' | 'entries'>): Message[] {
  const first = firstUserMessage(input.log.messages);
  return input.entries
    .map((entry) => entry.source)
    .filter((message) => message !== undefined)
    .filter((message) => message !== first && !input.marks.pinned.has(message.id));
}
