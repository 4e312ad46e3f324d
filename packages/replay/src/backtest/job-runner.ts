import type { Summarise } from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import { askProbes } from '../probes/ask-probes.ts';
import { type PlantedSession, plantDetails } from '../probes/plant-details.ts';
import { againstRecorded } from './against-recorded.ts';
import type {
  FileReport,
  NeedsTrace,
  RunReport,
  RunSpec,
  RunTrace,
  SessionFigures,
} from './backtest-types.ts';
import { loadSession } from './load-session.ts';
import { EMPTY_TALLY, everythingCost, type StepMeasure } from './measures.ts';
import type { ReplayMethod } from './method.ts';
import { loadMethod } from './methods.ts';
import { isMeasured, type PreparedSession, prepareSession, replaySession } from './replay-session.ts';
import { commandOf } from './view-command/command-method.ts';

export interface JobOptions {
  readonly wantsTrace: boolean;
  readonly acceptsPartial: boolean;
  /** Whether the recorded agent's own compactions are measured. */
  readonly againstRecorded: boolean;
  /** Whether details are planted into the session and asked for. */
  readonly wantsProbes: boolean;
}

export interface Job extends RunSpec, JobOptions {
  readonly path: string;
}

interface ReplayedJob extends Pick<FileReport, 'format' | 'needs' | 'notes' | 'against'> {
  status: 'done';
  run: RunReport;
  session: SessionFigures;
}

export type JobOutcome =
  | ReplayedJob
  /** The file contains no session that can be replayed. */
  | { status: 'unreadable'; message: string; notes: readonly string[] };

interface Loaded extends Pick<FileReport, 'format' | 'notes' | 'against'> {
  path: string;
  prepared?: PreparedSession;
  /** Made for the first method that is asked for its details. */
  planted?: PlantedSession;
  message: string;
}

/**
 * Runs one job at a time. Keeps the last session in memory, so that the next job on the same file does not read it
 * again.
 */
export class JobRunner {
  readonly #summarise: Summarise | undefined;
  #loaded: Loaded | undefined;

  constructor(summarise?: Summarise) {
    this.#summarise = summarise;
  }

  async run(job: Job): Promise<JobOutcome> {
    const { prepared, message, notes, format, against } = await this.#load(job);
    if (prepared === undefined) return { status: 'unreadable', message, notes };
    const needs = job.wantsTrace ? needsTrace(prepared) : undefined;
    const run = await this.#replay(prepared, job);
    return { status: 'done', run, session: figuresOf(prepared), format, notes, needs, against };
  }

  async #load({ path, acceptsPartial, ...job }: Job): Promise<Loaded> {
    if (this.#loaded?.path === path) return this.#loaded;
    this.#loaded = undefined;
    const loaded = await loadSession(path, { acceptsPartial });
    const { messages, problem, notes, format, workspace } = loaded;
    const prepared = messages === undefined ? undefined : prepareSession(messages, workspace);
    const isWanted = prepared !== undefined && job.againstRecorded;
    const against = isWanted ? againstRecorded(prepared, loaded) : undefined;
    this.#loaded = { path, message: problem ?? '', notes, format, prepared, ...(against && { against }) };
    return this.#loaded;
  }

  async #replay(prepared: PreparedSession, job: Job): Promise<RunReport> {
    const { method, windowTokens } = job;
    const skipped = { method, windowTokens, isSkipped: true, ...NOT_MEASURED };
    if (!isMeasured(prepared, windowTokens)) return skipped;
    try {
      return await this.#measure(prepared, job);
    } catch (error) {
      // The program belongs to somebody else. Other methods are measured in any case.
      if (commandOf(method) === undefined || !(error instanceof LonghaulError)) throw error;
      return { ...skipped, problem: error.message };
    }
  }

  async #measure(prepared: PreparedSession, { method, windowTokens, ...job }: Job): Promise<RunReport> {
    const made = await loadMethod(method, this.#summarise);
    const { steps, ...result } = await replaySession(prepared, made, windowTokens);
    const probes = job.wantsProbes ? await this.#probe(prepared, made, windowTokens) : undefined;
    return {
      method,
      windowTokens,
      isSkipped: false,
      ...result,
      trace: job.wantsTrace ? traceOf(steps) : undefined,
      ...(probes && { probes }),
    };
  }

  async #probe({ session }: PreparedSession, method: ReplayMethod, windowTokens: number) {
    const planted = this.#loaded?.planted ?? plantDetails(session.messages);
    if (this.#loaded !== undefined) this.#loaded.planted = planted;
    return await askProbes(planted, method, windowTokens);
  }
}

const NOT_MEASURED = { tally: EMPTY_TALLY, exhausted: 0, milliseconds: 0 };

export function figuresOf({ session }: PreparedSession): SessionFigures {
  return {
    steps: session.steps.length,
    calls: session.events.filter((event) => event.kind === 'call').length,
    visibleChars: session.events.reduce((sum, event) => sum + event.text.length, 0),
    tokens: session.tokens,
    everythingCostTokens: everythingCost(session),
  };
}

function traceOf(steps: readonly StepMeasure[]): RunTrace {
  return {
    tokens: steps.map((step) => step.tokens),
    rewritten: steps.flatMap((step, index) => (step.isRewritten ? [index] : [])),
    missing: steps.flatMap(({ missing }, index) => (missing.length > 0 ? [[index, missing] as const] : [])),
  };
}

function needsTrace({ facts: { facts, needs } }: PreparedSession): NeedsTrace {
  return {
    facts: facts.map((fact) => fact.text),
    needs: needs.map((step) => [
      step.filter((need) => !need.isFar).map((need) => need.fact),
      step.filter((need) => need.isFar).map((need) => need.fact),
    ]),
  };
}
