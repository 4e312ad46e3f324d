import { isThanks } from './acknowledgement.ts';
import { answeredQuestion } from './answered-question.ts';
import { outcomeOf } from './command-outcome.ts';
import { shortLine } from './command-work.ts';
import { filesText } from './files-text.ts';
import { sequenceOf } from './handle-sequence.ts';
import type { InstructionFact } from './ledger-facts.ts';
import { failedAt, type Situation } from './next-situation.ts';
import { oneLine } from './one-line.ts';
import { requestExcerpt } from './request-excerpt.ts';

type Rule = (situation: Situation) => string | undefined;

/** The first rule that says something is right. The last one always does. */
export const NEXT_RULES: readonly Rule[] = [
  onlyThanks,
  mendFailure,
  awaitAnswer,
  awaitTask,
  awaitUser,
  takeStatedStep,
  workOnRequest,
  checkOrCommit,
  finish,
];

function onlyThanks({ facts, lastStep }: Situation): string | undefined {
  const newest = facts.instructions.at(-1);
  return newest !== undefined && isThanks(newest.text) && sequenceOf(newest.handle) > lastStep
    ? `nothing open; the user only says thanks (${newest.handle})`
    : undefined;
}

function mendFailure({ errors, request, lastStep, isNew }: Situation): string | undefined {
  const [failed] = errors;
  return !isNew && failed !== undefined && failedAt(errors) >= lastStep
    ? `repeat or mend the last step, which failed: ${failed.call} (${failed.handle})${forRequest(request)}`
    : undefined;
}

/** A question at the end, which a remark or options may follow. */
const ASKS = /[?？][^?？]{0,80}$/;

function awaitAnswer(situation: Situation): string | undefined {
  const { report, said = '' } = situation.facts;
  if (!hasReported(situation) || !ASKS.test(said)) return undefined;
  const question = answeredQuestion(said, 'yes');
  return question === undefined
    ? undefined
    : `wait for the user's answer to “${oneLine(question, REQUEST_CHARS)}” (${report?.handle})${openText(situation)}`;
}

function awaitTask(situation: Situation): string | undefined {
  const [handle, task] = [...situation.facts.tasks].at(-1) ?? [];
  return task === undefined
    ? undefined
    : `wait for the result of ${oneLine(task, REQUEST_CHARS)} (${handle})${inRequest(situation)}${openText(situation)}`;
}

function awaitUser(situation: Situation): string | undefined {
  const { facts, request } = situation;
  if (request === undefined || !hasReported(situation)) return undefined;
  const { report, intent } = facts;
  const next = intent === undefined ? '' : `, and says “${intent.text}”`;
  return `wait for the user; the model reported in ${report?.handle} on ${quoted(request)}${next}${openText(situation)}`;
}

/** What the model says last that it wants to do, unless a commit ended that, and what it has done of it. */
function takeStatedStep(situation: Situation): string | undefined {
  const { facts, commit } = situation;
  const { intent, lastCall } = facts;
  if (intent === undefined || intent.sequence <= (commit?.sequence ?? 0)) return undefined;
  const step = `“${intent.text}” (${intent.handle})`;
  const begun = intent.sequence > lastCall ? '' : stepsSince(situation, intent.sequence);
  const text =
    intent.sequence > lastCall
      ? step
      : begun === ''
        ? `continue after ${step}`
        : `continue; ${step} was begun: ${begun}`;
  return `${text}${inRequest(situation)}${openText(situation)}`;
}

function stepsSince({ facts, since }: Situation, sequence: number): string {
  const ran = [...facts.commands.values()].at(-1);
  const changed = since(sequence - 1);
  return [
    ...(changed.length === 0 ? [] : [`${filesText(changed)} changed`]),
    ...(ran === undefined || ran.lastSequence < sequence
      ? []
      : [`\`${shortLine(ran.command, 80)}\` → ${outcomeOf(ran)} (${ran.handle})`]),
  ].join(', ');
}

/** Whether the model's last text ends its turn. */
function hasReported({ facts: { report, lastCall }, lastEvent }: Situation): boolean {
  return report?.endsTurn === true && report.sequence > Math.max(lastEvent, lastCall);
}

function workOnRequest({ facts, request, isNew }: Situation): string | undefined {
  if (request === undefined || !isNew) return undefined;
  return facts.lastCall > sequenceOf(request.handle)
    ? `continue with ${quoted(request)}`
    : `${quoted(request)}; nothing was done since it`;
}

function checkOrCommit({ commit, check, request, since }: Situation): string | undefined {
  const committedAt = commit?.sequence ?? 0;
  const unchecked = since(Math.max(check?.lastSequence ?? 0, committedAt));
  if (unchecked.length > 0) return `check: ${filesText(unchecked)} changed${forRequest(request)}`;
  const uncommitted = commit === undefined ? [] : since(committedAt);
  if (uncommitted.length === 0) return undefined;
  return `report or commit: ${filesText(uncommitted)} changed since the last commit (${commit?.handle})${forRequest(request)}`;
}

function finish({ commit, check, request }: Situation): string {
  const last = commit?.handle ?? check?.handle;
  if (request === undefined) return 'nothing open that is known';
  return last === undefined
    ? `continue with ${quoted(request)}`
    : `continue with ${quoted(request)}, or report; no file has changed since ${last}`;
}

/** What is left to do whatever comes first. */
function openText({ commit, since }: Situation): string {
  const uncommitted = commit === undefined ? [] : since(commit.sequence);
  return uncommitted.length === 0 ? '' : `; not committed: ${filesText(uncommitted)}`;
}

function inRequest({ request }: Situation): string {
  return request === undefined ? '' : `, for the request in ${request.handle}`;
}

function forRequest(request: InstructionFact | undefined): string {
  return request === undefined ? '' : `, for ${quoted(request)}`;
}

const REQUEST_CHARS = 160;

function quoted({ text, answers, handle }: InstructionFact): string {
  const question = answers === undefined ? '' : ` to “${oneLine(answers, REQUEST_CHARS)}”`;
  return `“${requestExcerpt(text, REQUEST_CHARS)}”${question} (${handle})`;
}
