import type { RecordedSession, RecordedStep, Segment } from './recorded-session.ts';

/** A way to make views, replayed over one session: told of nothing before its time. */
export interface ReplayMethod {
  readonly name: string;
  start(session: RecordedSession, window: WindowOptions): MethodRun;
}

export interface WindowOptions {
  windowTokens: number;
  /** A quarter of the window. */
  outputTokens: number;
  /** The window less the output reserve. */
  usableTokens: number;
}

export interface MethodRun {
  /** The view before the session's next step. */
  viewBefore(step: RecordedStep): Promise<MethodView>;
}

export interface MethodView {
  view: readonly Segment[];
  /** What calls to a summariser took since the step before, input and output. */
  callTokens?: number;
  /** The method could not make the view small enough. */
  isExhausted?: boolean;
}

export function windowOptions(windowTokens: number): WindowOptions {
  const outputTokens = Math.floor(windowTokens / 4);
  return { windowTokens, outputTokens, usableTokens: windowTokens - outputTokens };
}
