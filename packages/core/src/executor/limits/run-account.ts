import {
  addUsage,
  type FinishReason,
  saysNothing,
  type TokenUsage,
  withoutTurnEnd,
  ZERO_USAGE,
} from '@longhaul/protocol';
import type { FamilyLink, Spent } from '../../session/subtasks/families.ts';
import type { StepOutcome } from '../model-call/step-outcome.ts';
import { countedUsage, type StepEstimate } from './counted-usage.ts';
import type { RunClock } from './run-clock.ts';
import type { RunProgress } from './run-limits.ts';

/** The usage, cost and answer of a run so far, and what of them counts for its limits. */
export class RunAccount {
  readonly #costOf: (usage: TokenUsage) => number | undefined;
  readonly #clock: Pick<RunClock, 'elapsedMs'>;
  readonly #parent: FamilyLink['account'] | undefined;
  usage: TokenUsage = ZERO_USAGE;
  /** US dollars. Undefined while no price is known. */
  cost: number | undefined;
  /** Model calls without an error. */
  steps = 0;
  text = '';
  finishReason: FinishReason | undefined;
  #countedUsage: TokenUsage = ZERO_USAGE;
  #countedCost = 0;

  /** @param parent Also counts what this run uses. Default: the session is no child. */
  constructor(
    costOf: (usage: TokenUsage) => number | undefined,
    clock: Pick<RunClock, 'elapsedMs'>,
    parent?: FamilyLink['account'],
  ) {
    this.#costOf = costOf;
    this.#clock = clock;
    this.#parent = parent;
  }

  addStep(outcome: StepOutcome, estimate: StepEstimate): void {
    if (!outcome.hasToolCalls || !saysNothing(outcome.text)) this.text = withoutTurnEnd(outcome.text);
    this.finishReason = outcome.finishReason;
    if (outcome.error !== undefined) return;
    this.steps += 1;
    this.#add(outcome.usage, countedUsage(outcome.usage, estimate));
  }

  /** Adds the answer after a limit. Its usage counts, but it is not a step. */
  addClosingNote({ text, finishReason, usage }: StepOutcome): void {
    if (!saysNothing(text)) this.text = withoutTurnEnd(text);
    this.finishReason = finishReason;
    if (usage !== undefined) this.addUsage(usage);
  }

  addUsage(usage: TokenUsage): void {
    this.#add(usage, usage);
  }

  /** Adds a model call that is not a step. `costOf`: of another model than that of the run. */
  addCall(reported: TokenUsage | undefined, estimate: StepEstimate, costOf = this.#costOf): void {
    this.#add(reported, countedUsage(reported, estimate), costOf);
  }

  get progress(): RunProgress {
    return {
      steps: this.steps,
      usage: this.#countedUsage,
      costUsd: this.#countedCost,
      elapsedMs: this.#clock.elapsedMs,
    };
  }

  /** Adds a model call of a child, or of its own child. It counts for the limits of this run, but is not a step. */
  addOfChild(spent: Spent): void {
    const { reported, cost, counted, countedCost } = spent;
    this.#countedUsage = addUsage(this.#countedUsage, counted);
    this.#countedCost += countedCost;
    if (reported !== undefined) this.usage = addUsage(this.usage, reported);
    if (cost !== undefined) this.cost = (this.cost ?? 0) + cost;
    this.#parent?.addOfChild(spent);
  }

  #add(reported: TokenUsage | undefined, counted: TokenUsage, costOf = this.#costOf): void {
    const cost = reported === undefined ? undefined : costOf(reported);
    this.addOfChild({ reported, cost, counted, countedCost: costOf(counted) ?? 0 });
  }
}
