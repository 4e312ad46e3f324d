import { type CutMark, LonghaulError, type Mark, type PruneMark, saysNothing } from '@longhaul/protocol';
import { checkNarrative } from '../narrative.ts';
import type { CompactionPlan, PlanInput } from '../strategy.ts';
import { allHidden, type CompactionContext, type Draft, ledgerFor, viewWith } from './draft.ts';
import { maxNarrativeTokens, previousNarrative, writeNarrative } from './narrate.ts';

/**
 * Builds the first rung: the strategy's plan and the summary that replaces the hidden messages. A strategy may be a
 * user's own. Its errors and invalid plans become warnings; only a cancel is rethrown.
 */
export async function strategyDraft(context: CompactionContext, warnings: string[]): Promise<Draft> {
  const plan = await planSafely(context, warnings);
  const draft = await draftOf(context, plan, warnings);
  const objection = objectionTo(context, draft);
  if (objection === undefined) return draft;
  warnings.push(`${dropped(context)}: ${objection}.`);
  return draftOf(context, NO_PLAN, []);
}

const NO_PLAN: CompactionPlan = { hides: [], marks: [], wantsNarrative: false };

async function planSafely(context: CompactionContext, warnings: string[]): Promise<CompactionPlan> {
  try {
    const plan: unknown = await context.strategy.plan(copyOf(context.input));
    if (isPlan(plan)) return plan;
    warnings.push(`${dropped(context)}: it is not { hides: ids, marks: [], wantsNarrative: true or false }.`);
  } catch (error) {
    if (context.signal?.aborted === true || isCancel(error)) throw error;
    warnings.push(`${dropped(context)}: ${error instanceof Error ? error.message : String(error)}.`);
  }
  return NO_PLAN;
}

/** A strategy may sort or reverse an array in place. It must not be the session's own array. */
function copyOf(input: PlanInput): PlanInput {
  const { messages, marks } = input.log;
  return { ...input, log: { messages: [...messages], marks: [...marks] }, entries: [...input.entries] };
}

function dropped({ strategy }: CompactionContext): string {
  return `The plan of the strategy "${strategy.name}" was dropped`;
}

function isCancel(error: unknown): boolean {
  return error instanceof LonghaulError && error.code === 'cancelled';
}

function isPlan(plan: unknown): plan is CompactionPlan {
  if (typeof plan !== 'object' || plan === null) return false;
  const {
    hides,
    marks,
    narrative,
    narrativeTokens,
    narrativeForm,
    warnings = [],
  } = plan as Partial<Record<string, unknown>>;
  return (
    areStrings(hides) &&
    Array.isArray(marks) &&
    (narrative === undefined || typeof narrative === 'string') &&
    (narrativeTokens === undefined || typeof narrativeTokens === 'number') &&
    (narrativeForm === undefined || isNarrativeForm(narrativeForm)) &&
    areStrings(warnings)
  );
}

function isNarrativeForm(form: unknown): boolean {
  if (typeof form !== 'object' || form === null) return false;
  const { maxTokens, instruction, layOut, fromFacts } = form as Partial<Record<string, unknown>>;
  return (
    typeof maxTokens === 'number' &&
    [instruction, layOut, fromFacts].every((step) => typeof step === 'function')
  );
}

function areStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

async function draftOf(context: CompactionContext, plan: CompactionPlan, warnings: string[]): Promise<Draft> {
  warnings.push(...(plan.warnings ?? []), ...unknownIds(context, plan));
  const hides = allHidden(context, plan.hides);
  const ledger = ledgerFor(context, hides, context.ledgerTokens);
  const adds = hides.filter((id) => !context.input.marks.hidden.has(id));
  const narrative = await narrativeOf(context, { plan, adds, warnings });
  const before = context.input.marks.compaction?.summary.opaque;
  const opaque = adds.length === 0 ? before : plan.opaque;
  const summary = opaque === undefined ? { ledger, narrative } : { ledger, narrative, opaque };
  return { hides, marks: ownMarks(context, plan), summary };
}

function unknownIds({ log, strategy }: CompactionContext, { hides }: CompactionPlan): string[] {
  const known = new Set(log.messages.map(({ id }) => id));
  const unknown = hides.filter((id) => !known.has(id)).length;
  if (unknown === 0) return [];
  return [`The strategy "${strategy.name}" named ${unknown} messages that are not in the session.`];
}

/** Returns the plan's cuts and prunings of existing parts, with new ids. */
function ownMarks({ log, newId, now }: CompactionContext, plan: CompactionPlan): Mark[] {
  const partCounts = new Map(log.messages.map(({ id, parts }) => [id, parts.length]));
  const isThere = ({ messageId, partIndex }: CutMark | PruneMark) =>
    Number.isInteger(partIndex) && partIndex >= 0 && partIndex < (partCounts.get(messageId) ?? 0);
  return plan.marks.flatMap((mark): Mark[] => {
    if (mark?.kind === 'prune' && isThere(mark)) return [{ ...mark, id: newId(), compactedAt: now }];
    if (mark?.kind === 'cut' && isThere(mark) && mark.keepChars >= 0)
      return [{ ...mark, id: newId(), createdAt: now }];
    return [];
  });
}

interface NarrativeTask {
  plan: CompactionPlan;
  /** Ids of the messages that this compaction hides and no earlier one did. */
  adds: readonly string[];
  warnings: string[];
}

async function narrativeOf(
  context: CompactionContext,
  { plan, adds, warnings }: NarrativeTask,
): Promise<string> {
  const previous = previousNarrative(context);
  if (adds.length === 0) return previous;
  if (plan.narrative !== undefined)
    return checkedNarrative(context, { ...plan, narrative: plan.narrative }, warnings);
  if (!plan.wantsNarrative) return previous;
  return writeNarrative(context, { hides: adds, form: plan.narrativeForm, warnings });
}

/** The same limits apply to a strategy's own text as to a model's. */
function checkedNarrative(
  context: CompactionContext,
  { narrative: text, narrativeTokens }: CompactionPlan & { narrative: string },
  warnings: string[],
): string {
  if (saysNothing(text)) return '';
  const maxTokens = narrativeTokens ?? maxNarrativeTokens(context);
  const limits = { hiddenTokens: context.tokensBefore, maxTokens, count: context.count };
  const checked = checkNarrative({ status: 'ok', text, finishedBy: 'stop' }, limits);
  if (checked.accepted) {
    if (checked.warning !== undefined) warnings.push(checked.warning);
    return checked.text;
  }
  warnings.push(`The narrative of the strategy "${context.strategy.name}" was dropped: ${checked.reason}.`);
  return previousNarrative(context);
}

function objectionTo(context: CompactionContext, draft: Draft): string | undefined {
  const { strategy, input } = context;
  if (strategy.validate === undefined) return undefined;
  try {
    return strategy.validate(input.entries, viewWith(context, draft));
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
