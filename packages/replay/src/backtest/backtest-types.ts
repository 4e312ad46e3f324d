import type { SessionFormat } from '../importers/report.ts';
import type { ProbeTally } from '../probes/ask-probes.ts';
import type { AgainstRecorded } from './against-recorded.ts';
import type { Tally } from './measures.ts';

/** One method at one window. */
export interface RunSpec {
  readonly method: string;
  readonly windowTokens: number;
}

/** Sizes of a recorded session. */
export interface SessionFigures {
  readonly steps: number;
  readonly calls: number;
  readonly visibleChars: number;
  readonly tokens: number;
  /** The cost of sending everything at every step, even if it does not fit the window. In tokens. */
  readonly everythingCostTokens: number;
}

/** One method at one window over one session. */
export interface RunReport extends RunSpec {
  /** True if the session fits into the window, so that nothing was measured. */
  readonly isSkipped: boolean;
  readonly tally: Tally;
  /** Number of steps at which the method could not make the view small enough. An agent would stop there. */
  readonly exhausted: number;
  readonly milliseconds: number;
  readonly trace?: RunTrace;
  /** What the method kept of planted details, if it was asked for. */
  readonly probes?: ProbeTally;
  /** Why the method could not be measured: a program of somebody else failed. */
  readonly problem?: string;
}

/** The measures of each step, for the HTML page. */
export interface RunTrace {
  /** Tokens of the view, for each step. */
  readonly tokens: readonly number[];
  /** Indexes of steps whose view does not start with the whole view of the step before. */
  readonly rewritten: readonly number[];
  /** Indexes of steps at which needed facts were missing, with the numbers of these facts. */
  readonly missing: readonly (readonly [step: number, facts: readonly number[]])[];
}

/** The facts that each step of a session needed. */
export interface NeedsTrace {
  readonly facts: readonly string[];
  /** For each step, the numbers of its near facts and of its far facts. */
  readonly needs: readonly (readonly [near: readonly number[], far: readonly number[]])[];
}

export interface FileReport {
  readonly path: string;
  /** Undefined if the file could not be replayed. */
  readonly session?: SessionFigures;
  /** Undefined if the file could not be replayed. */
  readonly format?: SessionFormat | undefined;
  /** Why the file could not be replayed. */
  readonly problem?: string;
  /** Content of the file that was not read, one reason a line. */
  readonly notes: readonly string[];
  readonly runs: readonly RunReport[];
  readonly needs?: NeedsTrace;
  /** What the recorded agent's own compactions kept, if it was asked for. */
  readonly against?: AgainstRecorded;
}
