import type { Tally } from './measures.ts';

/** One method at one window. */
export interface RunSpec {
  readonly method: string;
  readonly windowTokens: number;
}

/** What a file's session is like. */
export interface SessionFigures {
  readonly steps: number;
  readonly calls: number;
  readonly visibleChars: number;
  readonly tokens: number;
  /** What sending everything at every step would cost, whether it fits or not. */
  readonly everythingCostTokens: number;
}

/** One method at one window over one session. */
export interface RunReport extends RunSpec {
  /** The session is no larger than the window; nothing was measured. */
  readonly isSkipped: boolean;
  readonly tally: Tally;
  /** Steps at which the method could not make the view small enough; an agent would have stopped there. */
  readonly exhausted: number;
  readonly milliseconds: number;
  readonly trace?: RunTrace;
}

/** What happened step by step, for a page. */
export interface RunTrace {
  /** Tokens of each step's view. */
  readonly tokens: readonly number[];
  /** Steps whose prefix was rewritten. */
  readonly rewritten: readonly number[];
  /** Steps at which needed facts were missing, with the facts' numbers. */
  readonly missing: readonly (readonly [step: number, facts: readonly number[]])[];
}

/** What the steps of a session needed. */
export interface NeedsTrace {
  readonly facts: readonly string[];
  /** For each step: numbers of near facts, then of far facts. */
  readonly needs: readonly (readonly [near: readonly number[], far: readonly number[]])[];
}

export interface FileReport {
  readonly path: string;
  /** Absent when the file could not be replayed. */
  readonly session?: SessionFigures;
  /** Why the file could not be replayed. */
  readonly problem?: string;
  /** What was left out in reading it. */
  readonly notes: readonly string[];
  readonly runs: readonly RunReport[];
  readonly needs?: NeedsTrace;
}
