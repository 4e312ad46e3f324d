import type { Message } from '@longhaul/protocol';
import { FactFinder } from './fact-finder.ts';
import { type StepMeasure, type Tally, ViewMeter } from './measures.ts';
import { type ReplayMethod, windowOptions } from './method.ts';
import { type RecordedSession, recordSession } from './recorded-session.ts';
import { type SessionFacts, sessionFacts } from './session-facts.ts';

/** A session with the data that its replays share for all methods and windows. */
export interface PreparedSession {
  readonly session: RecordedSession;
  readonly facts: SessionFacts;
  readonly finder: FactFinder;
}

/** @param workspace The folder in which the recorded agent worked. Default: unknown. */
export function prepareSession(messages: readonly Message[], workspace?: string): PreparedSession {
  const session = recordSession(messages);
  const facts = sessionFacts(session, workspace);
  return { session, facts, finder: new FactFinder(facts.facts, facts.sightings) };
}

/** Whether the session is larger than the window. If it fits, there is nothing to measure. */
export function isMeasured({ session }: PreparedSession, windowTokens: number): boolean {
  return session.tokens > windowTokens;
}

export interface ReplayResult {
  readonly tally: Tally;
  /** Number of steps at which the method could not make the view small enough. */
  readonly exhausted: number;
  /** Time that the method itself took. */
  readonly milliseconds: number;
  readonly steps: readonly StepMeasure[];
}

/**
 * Replays the session once. Before each step the method makes a view of the earlier events, and the view is measured.
 */
export async function replaySession(
  { session, facts, finder }: PreparedSession,
  method: ReplayMethod,
  windowTokens: number,
): Promise<ReplayResult> {
  const window = windowOptions(windowTokens);
  const run = method.start(session, window);
  const meter = new ViewMeter({ finder, needs: facts.needs, usableTokens: window.usableTokens });
  const steps: StepMeasure[] = [];
  let exhausted = 0;
  let milliseconds = 0;
  for (const step of session.steps) {
    const startedAt = performance.now();
    const { view, callTokens, isExhausted } = await run.viewBefore(step);
    milliseconds += performance.now() - startedAt;
    steps.push(meter.measure(view, callTokens));
    if (isExhausted === true) exhausted += 1;
  }
  return { tally: meter.tally, exhausted, milliseconds, steps };
}
