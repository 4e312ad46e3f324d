import { isHoldId } from '@longhaul/core';
import { isObject, type ToolPart } from '@longhaul/protocol';
import { checkEnded } from '../checks/check-database.ts';
import { type Defect, defect } from '../checks/defect.ts';
import { answerOf, answersIn, effectsOf, handlesIn, nameIn, promptOf } from './family-plan.ts';
import type { StoredFamily, StoredMember } from './read-family.ts';

export interface FamilyFigures {
  children: number;
  /** Results that came as messages. */
  delivered: number;
  effects: number;
  /** Calls whose child was cancelled. */
  cancelled: number;
}

/** A call of `task` in the log of its session. */
interface TaskCall {
  of: StoredMember;
  part: ToolPart;
  handle: string;
  name: string;
  isBackground: boolean;
  /** Its text for the model. */
  text: string;
}

/**
 * Checks a finished family: each call has one child, each child has its task once, each result is in the parent's log
 * once, no call of a child has an unknown outcome, no effect was made twice, and nothing runs on.
 */
export function checkFamily(family: StoredFamily): { defects: Defect[]; figures: FamilyFigures } {
  const calls = family.members.flatMap(callsOf);
  const children = family.members.filter(({ parentId }) => parentId !== undefined);
  return {
    defects: [
      ...family.members.flatMap(checkMember),
      ...checkStarted(calls, children),
      ...calls.flatMap((call) => checkResult(call, children)),
      ...checkEffects(family, children),
    ],
    figures: {
      children: children.length,
      delivered: family.members.reduce((sum, member) => sum + userTexts(member).flatMap(handlesIn).length, 0),
      effects: family.effects.length,
      cancelled: calls.filter(isCancelled).length,
    },
  };
}

/**
 * A child whose run was cancelled with its parent's has not completed, but it has ended. Nobody takes such a child again,
 * so work between its runs that was killed stays open. It is no run, and its dead process holds nothing.
 */
function checkMember(all: StoredMember): Defect[] {
  const member =
    all.parentId === undefined ? all : { ...all, runs: all.runs.filter((run) => !isKilledHold(run)) };
  const isLast = ({ what }: Defect) => what === 'the last run is not completed';
  const found = checkEnded(member).filter((each) => member.parentId === undefined || !isLast(each));
  const prompts = userTexts(member).filter((text) => text.includes(promptOf(nameIn(text) ?? '?')));
  const isRepeated = member.parentId !== undefined && prompts.length > 1;
  return [
    ...found.map(({ kind, what }) =>
      defect(/^run \d+ has not ended/.test(what) ? 'orphan-call' : kind, `${member.id}: ${what}`),
    ),
    ...(isRepeated
      ? [defect('repeated-side-effect', `${member.id} has its task ${prompts.length} times`)]
      : []),
  ];
}

function isKilledHold({ runId, hasEnded }: StoredMember['runs'][number]): boolean {
  return isHoldId(runId) && !hasEnded;
}

function checkStarted(calls: readonly TaskCall[], children: readonly StoredMember[]): Defect[] {
  const placeOf = ({ parentId, parentCallId }: StoredMember) => `${parentId} ${parentCallId}`;
  const started = Map.groupBy(children, placeOf);
  const known = new Set(calls.map(({ of, part }) => `${of.id} ${part.callId}`));
  const names = Map.groupBy(children, ({ task }) => nameIn(task));
  return [
    ...[...started].flatMap(([place, all]) =>
      all.length === 1 ? [] : [defect('repeated-side-effect', `call ${place} has ${all.length} children`)],
    ),
    ...[...names].flatMap(([name, all]) =>
      all.length === 1
        ? []
        : [defect('repeated-side-effect', `child ${name} was started ${all.length} times`)],
    ),
    ...children
      .filter((child) => !known.has(placeOf(child)))
      .map((child) => defect('orphan-call', `${child.id} is the child of no call`)),
  ];
}

function checkResult(call: TaskCall, children: readonly StoredMember[]): Defect[] {
  const { of, part, name, handle } = call;
  const where = `${of.id} ${handle} (child ${name})`;
  const hasChild = children.some((child) => child.parentId === of.id && child.parentCallId === part.callId);
  if (isNotRun(call))
    return hasChild ? [defect('lost-message', `${where} has a child, but is reported as not run`)] : [];
  if (part.state === 'interrupted' || /unknown/i.test(call.text))
    return isCancelled(call)
      ? []
      : [defect('unknown-outcome', `the outcome of ${where} is unknown: ${call.text}`)];
  const inLog = of.messages.flatMap(({ parts }) => parts.map((each) => textOf(each.part)));
  const answers = inLog.flatMap(answersIn).filter((answer) => answer === name).length;
  const delivered = userTexts(of)
    .flatMap(handlesIn)
    .filter((each) => each === handle).length;
  const results = call.isBackground ? delivered : Number(call.text.includes(`handle "${handle}"`));
  return [
    ...(results === 0 && !(isCancelled(call) && !hasChild)
      ? [defect('lost-message', `${where} has no result: ${call.text.slice(0, 200)}`)]
      : []),
    ...(results > 1 || answers > 1
      ? [defect('duplicate-message', `${where} has ${Math.max(results, answers)} results`)]
      : []),
  ];
}

function checkEffects({ effects }: StoredFamily, children: readonly StoredMember[]): Defect[] {
  const made = Map.groupBy(effects, ({ key }) => key);
  const twice = [...made].filter(([, lines]) => lines.length > 1);
  const missing = children.flatMap((child) => {
    const name = nameIn(child.task) ?? '';
    const hasAnswered = child.messages.some(({ parts }) =>
      parts.some(({ part }) => part.type === 'text' && part.text.includes(answerOf(name))),
    );
    return hasAnswered ? effectsOf(name).filter((key) => !made.has(key)) : [];
  });
  return [
    ...twice.map(([key, lines]) =>
      defect('repeated-side-effect', `effect ${key} was made ${lines.length} times`),
    ),
    ...missing.map((key) => defect('lost-message', `effect ${key} was not made, but its child has answered`)),
  ];
}

function callsOf(member: StoredMember): TaskCall[] {
  return member.messages.flatMap(({ sequence, parts }) =>
    parts.flatMap(({ index, part }) => {
      if (part.type !== 'tool' || part.name !== 'task') return [];
      const input = isObject(part.input) ? part.input : {};
      return [
        {
          of: member,
          part,
          handle: `m${sequence}.${index}`,
          name: nameIn(String(input['prompt'])) ?? '',
          isBackground: input['background'] === true,
          text: textOf(part),
        },
      ];
    }),
  );
}

/** Whether the run was cancelled before the child had its result. */
function isCancelled({ part, text }: TaskCall): boolean {
  return part.state !== 'completed' && /cancel/i.test(text);
}

/**
 * Whether the call never started: the process was killed between storing and starting it, or the answer that contains it
 * was cut off. The model can make it again.
 */
function isNotRun({ part, text }: TaskCall): boolean {
  return (
    part.state !== 'completed' && /^(?:\[Not run|Not run: the answer with this call broke off)/.test(text)
  );
}

function userTexts({ messages }: StoredMember): string[] {
  return messages
    .filter(({ role }) => role === 'user')
    .map(({ parts }) => parts.map(({ part }) => textOf(part)).join('\n'));
}

function textOf(part: StoredMember['messages'][number]['parts'][number]['part']): string {
  if (part.type === 'text') return part.text;
  if (part.type !== 'tool') return '';
  const output = (part.output ?? [])
    .map((content) => (content.type === 'text' ? content.text : ''))
    .join('\n');
  return [output, part.error ?? ''].filter((text) => text !== '').join('\n');
}
