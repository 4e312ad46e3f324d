import type { Message } from '@longhaul/protocol';
import { FactFinder } from './fact-finder.ts';
import { type StepMeasure, type Tally, ViewMeter } from './measures.ts';
import { type ReplayMethod, windowOptions } from './method.ts';
import { type RecordedSession, recordSession } from './recorded-session.ts';
import { type SessionFacts, sessionFacts } from './session-facts.ts';

/** A session with all that its replays have in common, whatever method and window. */
export interface PreparedSession {
  readonly session: RecordedSession;
  readonly facts: SessionFacts;
  readonly finder: FactFinder;
}

export function prepareSession(messages: readonly Message[]): PreparedSession {
  const session = recordSession(messages);
  const facts = sessionFacts(session);
  return { session, facts, finder: new FactFinder(facts.facts, facts.sightings) };
}

/** Whether a window of this size cannot hold the session as it is; else there is nothing to measure. */
export function isMeasured({ session }: PreparedSession, windowTokens: number): boolean {
  return session.tokens > windowTokens;
}

export interface ReplayResult {
  readonly tally: Tally;
  /** Steps at which the method could not make the view small enough. */
  readonly exhausted: number;
  /** What the method itself took. */
  readonly milliseconds: number;
  readonly steps: readonly StepMeasure[];
}

/** Walks the session once: before each step the method makes its view of what came before, and the view is measured. */
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
