import type { Mark, Message, OpaqueSummary } from '@longhaul/protocol';
import type { Budget, Trigger } from './budget.ts';
import { type ActiveMarks, type ContextLog, firstUserMessage } from './log.ts';
import type { NarrativeForm, Summarise, SummariseByProvider } from './narrative.ts';
import type { RequestMeter } from './request-size.ts';
import type { Select } from './selection/select.ts';
import type { TokenCounter } from './tokens.ts';
import type { ViewEntry } from './view.ts';

/** The part of an `AbortSignal` that the engine reads. Its own library has no such type. */
export interface CancelSignal {
  readonly aborted: boolean;
  addEventListener?(type: 'abort', listener: () => void): void;
  removeEventListener?(type: 'abort', listener: () => void): void;
}

/** The input of a strategy. A strategy must not change it. */
export interface PlanInput {
  readonly log: ContextLog;
  readonly marks: ActiveMarks;
  /** The current view. */
  readonly entries: readonly ViewEntry[];
  readonly budget: Budget;
  readonly meter: RequestMeter;
  /** Counts the real tokens of a text, with the ratio learned from this session's requests. */
  readonly count: TokenCounter;
  /** Number of this compaction in the session, from 1. */
  readonly round: number;
  /**
   * Writes with a model. Absent if no model is available, as in a replay. Throws only when it is cancelled; the
   * strategy must let that error through.
   */
  readonly summarise?: Summarise;
  /** Asks a model which messages to keep. Absent and throwing as for `summarise`. */
  readonly select?: Select;
  /**
   * Lets the model's provider summarise with its own means. Absent if it has none. Throws only when it is cancelled.
   */
  readonly summariseByProvider?: SummariseByProvider;
  readonly signal?: CancelSignal;
}

/**
 * The decision of a strategy: which messages to hide, and how to write the summary that replaces them. It never edits
 * the log.
 */
export interface CompactionPlan {
  /** Ids of visible messages to hide. Empty if nothing is old enough. */
  readonly hides: readonly string[];
  /**
   * Further marks: cuts of kept messages that are too large alone, and prunings. `compact` sets their ids and times.
   */
  readonly marks: readonly Mark[];
  /** Whether a model should write a narrative. */
  readonly wantsNarrative: boolean;
  /** How the narrative is requested and formatted. Default: plain prose. */
  readonly narrativeForm?: NarrativeForm;
  /** A narrative by the strategy itself. No model is asked for one. */
  readonly narrative?: string;
  /**
   * The tokens of `narrative` for which the plan leaves room. Of the last sentences of a longer one, only the names
   * stay. Default: a tenth of the message budget.
   */
  readonly narrativeTokens?: number;
  /** A summary by the provider, which is sent in place of the engine's where its maker is called. */
  readonly opaque?: OpaqueSummary;
  /** Messages for the user. */
  readonly warnings?: readonly string[];
}

/**
 * Decides when to compact and which messages stay verbatim. The engine writes the summary, and enforces the rules of
 * all strategies: the first and the newest user message, pinned messages and the last message are never hidden.
 *
 * If `plan` throws or returns an invalid plan, only this rung of the ladder is lost, never the session.
 */
export interface CompressionStrategy {
  readonly name: string;
  readonly trigger: Trigger;
  /** Whether `plan` uses `summariseByProvider`. Default false. */
  readonly usesProvider?: boolean;
  plan(input: PlanInput): Promise<CompactionPlan>;
  /**
   * Checks the view before and after the plan. If it returns a text, the plan is dropped and the text is the reason.
   * Harder rungs are not checked.
   */
  validate?(before: readonly ViewEntry[], after: readonly ViewEntry[]): string | undefined;
}

/** Returns the messages of the view that a strategy may hide, in order. */
export function hideableMessages(input: Pick<PlanInput, 'log' | 'marks' | 'entries'>): Message[] {
  const first = firstUserMessage(input.log.messages);
  return input.entries
    .map((entry) => entry.source)
    .filter((message) => message !== undefined)
    .filter((message) => message !== first && !input.marks.pinned.has(message.id));
}
