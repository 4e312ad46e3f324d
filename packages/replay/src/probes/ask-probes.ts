import { type ReplayMethod, windowOptions } from '../backtest/method.ts';
import type { Segment } from '../backtest/recorded-session.ts';
import type { PlantedSession, Probe } from './plant-details.ts';
import { PROBE_KINDS, type ProbeKind } from './planted-details.ts';

export interface ProbeCount {
  readonly asked: number;
  readonly answered: number;
}

export interface ProbeTally {
  readonly kinds: Readonly<Record<ProbeKind, ProbeCount>>;
  /** Compactions between a detail and a question about it, summed over all questions. */
  readonly rounds: number;
}

/** The parts of an answer must be within so many characters, so that they belong together. */
const MAX_ANSWER_SPAN = 1_000;

/**
 * Replays a planted session and asks each probe at its step. A detail that is not older than the window could be in the
 * view unchanged, so nothing is asked about it yet.
 */
export async function askProbes(
  { session, probes }: PlantedSession,
  method: ReplayMethod,
  windowTokens: number,
): Promise<ProbeTally> {
  const run = method.start(session, windowOptions(windowTokens));
  const asked = probes.filter(({ age }) => age > windowTokens);
  const answers = new Map<Probe, boolean>();
  const rewrites: number[] = [];
  let last: readonly Segment[] = [];
  for (const [index, step] of session.steps.entries()) {
    const { view } = await run.viewBefore(step);
    if (!startsWith(view, last)) rewrites.push(index);
    last = view;
    for (const probe of asked) if (probe.step === index) answers.set(probe, isAnswered(probe, view));
  }
  const roundsOf = ({ since, step }: Probe) => rewrites.filter((at) => at >= since && at <= step).length;
  return {
    kinds: countByKind(answers),
    rounds: [...answers.keys()].reduce((sum, probe) => sum + roundsOf(probe), 0),
  };
}

function countByKind(answers: ReadonlyMap<Probe, boolean>): Record<ProbeKind, ProbeCount> {
  const count = (kind: ProbeKind): ProbeCount => {
    const ofKind = [...answers].filter(([{ detail }]) => detail.kind === kind);
    return { asked: ofKind.length, answered: ofKind.filter(([, isRight]) => isRight).length };
  };
  const [decision, constraint, file, error] = PROBE_KINDS.map(count);
  const none = { asked: 0, answered: 0 };
  return {
    decision: decision ?? none,
    constraint: constraint ?? none,
    file: file ?? none,
    error: error ?? none,
  };
}

/** Whether one text of the view, with the arguments of its call, contains all parts of the answer near each other. */
export function isAnswered({ detail }: Pick<Probe, 'detail'>, view: readonly Segment[]): boolean {
  return view.some(({ text, args }) => {
    const shown = args === undefined || args === text ? text : `${args}\n${text}`;
    return containsNear(shown, detail.answer);
  });
}

function containsNear(text: string, parts: readonly string[]): boolean {
  const [first, ...others] = parts;
  if (first === undefined) return false;
  for (let at = text.indexOf(first); at !== -1; at = text.indexOf(first, at + 1)) {
    const near = text.slice(Math.max(0, at - MAX_ANSWER_SPAN), at + first.length + MAX_ANSWER_SPAN);
    if (others.every((part) => near.includes(part))) return true;
  }
  return false;
}

function startsWith(view: readonly Segment[], start: readonly Segment[]): boolean {
  return start.every((segment, index) => {
    const now = view[index];
    return now === segment || (now?.kind === segment.kind && now.text === segment.text);
  });
}

/** Returns the sum of tallies. */
export function addProbes(tallies: readonly ProbeTally[]): ProbeTally {
  const sum = (kind: ProbeKind): ProbeCount => ({
    asked: tallies.reduce((total, { kinds }) => total + kinds[kind].asked, 0),
    answered: tallies.reduce((total, { kinds }) => total + kinds[kind].answered, 0),
  });
  return {
    kinds: {
      decision: sum('decision'),
      constraint: sum('constraint'),
      file: sum('file'),
      error: sum('error'),
    },
    rounds: tallies.reduce((total, { rounds }) => total + rounds, 0),
  };
}
