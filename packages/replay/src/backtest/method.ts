import type { RecordedSession, RecordedStep, Segment } from './recorded-session.ts';

/** A way to make views, replayed over one session. At each step it may use only the events before that step. */
export interface ReplayMethod {
  readonly name: string;
  start(session: RecordedSession, window: WindowOptions): MethodRun;
}

export interface WindowOptions {
  windowTokens: number;
  /** A quarter of the window. */
  outputTokens: number;
  /** The window minus the output reserve. */
  usableTokens: number;
}

export interface MethodRun {
  /** Returns the view for the session's next step. Called once for each step, in order. */
  viewBefore(step: RecordedStep): Promise<MethodView>;
}

export interface MethodView {
  view: readonly Segment[];
  /** Tokens of summary calls since the step before, input and output. */
  callTokens?: number;
  /** True if the method could not make the view small enough. */
  isExhausted?: boolean;
}

export function windowOptions(windowTokens: number): WindowOptions {
  const outputTokens = Math.floor(windowTokens / 4);
  return { windowTokens, outputTokens, usableTokens: windowTokens - outputTokens };
}
