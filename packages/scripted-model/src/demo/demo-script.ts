import type { ChatMessage } from '@longhaul/protocol';
import { textOf } from '../messages.ts';
import type { ScriptReply, ScriptRequest, ScriptToolCall } from '../script.ts';
import { signatureOf } from './calls.ts';
import { type ChildPart, isChildPrompt, PARTS } from './child-parts.ts';
import { finalAnswer } from './final-answer.ts';
import { narrate } from './narrative.ts';
import { failureOf, nodeProblem } from './outcomes.ts';
import { FINAL_TESTS, LOOK_AROUND, PLAN, type PlanItem, type PlanStep } from './plan.ts';
import { isWithChildren, PLAN_WITH_CHILDREN } from './plan-with-children.ts';
import {
  callsOf,
  commandResult,
  isCommandNoted,
  isFileNoted,
  lookAt,
  type Seen,
  type SeenStep,
} from './seen.ts';

/** Matches the request for a narrative. */
export const SUMMARY_REQUEST = /summari[sz]e the session so far/i;

const ITEMS = [...PLAN, ...PLAN_WITH_CHILDREN].map((item) => item.todo);
const MAX_ATTEMPTS = 2;

/**
 * Plays a coding agent that builds a flashcard application.
 *
 * It keeps no state. It finds its place by the todo list and the calls in the messages, and after a compaction by the
 * summary. If that information is lost, it starts again, as a model does.
 */
export function demoScript(request: Pick<ScriptRequest, 'messages' | 'asksForSummary'>): ScriptReply {
  const seen = lookAt(request.messages, ITEMS);
  if (request.asksForSummary || asksForNarrative(request.messages)) {
    return { text: narrate(request.messages, seen) };
  }
  const part = isChildPrompt(seen.prose)
    ? PARTS.find(({ prompt }) => seen.prose.includes(prompt))
    : undefined;
  if (part !== undefined) return playPart(seen, part);
  if (!/flashcard/i.test(seen.prose)) {
    return {
      text: 'I am a scripted model and know only one task: the flashcard application of the demonstration.',
    };
  }
  const plan = isWithChildren(seen.prose) ? PLAN_WITH_CHILDREN : PLAN;
  if (seen.todo === undefined) return begin(seen, plan);
  const index = plan.findIndex((item) => seen.todo?.get(item.todo) !== 'done');
  const item = plan[index];
  return item === undefined ? finish(seen) : (proceed(seen, item) ?? enter(seen, plan, index + 1));
}

/** Plays an agent that has one part of the work and no plan. */
function playPart(seen: Seen, part: ChildPart): ScriptReply {
  return proceed(seen, part) ?? { text: part.report(seen) };
}

function asksForNarrative(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && SUMMARY_REQUEST.test(textOf(last));
}

function begin(seen: Seen, plan: readonly PlanItem[]): ScriptReply {
  if (callsOf(seen, 'list').length === 0) return reply(seen, LOOK_AROUND);
  const problem = nodeProblem(seen);
  return problem === undefined ? enter(seen, plan, 0) : { text: problem };
}

/** Returns the next step of an item. Undefined if it is done. */
function proceed(seen: Seen, item: PlanItem): ScriptReply | undefined {
  const last = lastStep(seen, item);
  const step = item.steps[last];
  if (step !== undefined && step.mayFail !== true) {
    const attempts = attemptsAt(seen, step);
    const failure = failureOf(attempts.at(-1));
    if (failure !== undefined) {
      return attempts.length < MAX_ATTEMPTS ? retry(seen, step) : { text: giveUp(item, failure) };
    }
  }
  const next = item.steps.slice(last + 1).find((each) => each.when?.(seen) ?? true);
  return next === undefined ? undefined : reply(seen, next);
}

/** Updates the plan and makes the first step of the item in the same answer. */
function enter(seen: Seen, plan: readonly PlanItem[], index: number): ScriptReply {
  const todo: ScriptToolCall = {
    name: 'todo',
    arguments: {
      items: plan.map((item, position) => ({
        text: item.todo,
        status: position < index ? 'done' : position === index ? 'in_progress' : 'pending',
      })),
    },
  };
  const first = plan[index]?.steps[0];
  if (first === undefined) return { text: 'Every item of the plan is done.', toolCalls: [todo] };
  const { text, toolCalls = [] } = reply(seen, first);
  return { text: text ?? '', toolCalls: [todo, ...toolCalls] };
}

function finish(seen: Seen): ScriptReply {
  if ((commandResult(seen, FINAL_TESTS) ?? '') === '') {
    return reply(seen, {
      text: 'I no longer see the result of the last test run, so I run the tests again.',
      calls: () => [{ name: 'bash', arguments: { command: FINAL_TESTS } }],
    });
  }
  return { text: finalAnswer(seen) };
}

/** Returns the index of the item's last step that is visible or in the summary, or -1 if there is none. */
function lastStep(seen: Seen, item: PlanItem): number {
  const inSight = item.steps.findLastIndex((step) => attemptsAt(seen, step).length > 0);
  return inSight === -1 ? item.steps.findLastIndex((step) => isNoted(seen, step)) : inSight;
}

/** Returns the visible steps that made all calls of a plan step. */
function attemptsAt(seen: Seen, step: PlanStep): SeenStep[] {
  const wanted = step.calls(seen).map(callSignature);
  return seen.sincePlan.filter((each) => {
    const made = new Set(each.calls.map((call) => signatureOf(call.name, call.input)));
    return wanted.every((signature) => made.has(signature));
  });
}

function callSignature({ name, arguments: input }: ScriptToolCall): string {
  return signatureOf(name, typeof input === 'string' ? {} : input);
}

/** Whether the summary lists all writes, edits and commands of a step. A step that only reads is repeated. */
function isNoted(seen: Seen, step: PlanStep): boolean {
  const effects = step.calls(seen).filter(({ name }) => ['write', 'edit', 'bash'].includes(name));
  return effects.length > 0 && effects.every((call) => isCallNoted(seen, call, step));
}

function isCallNoted(seen: Seen, { name, arguments: input }: ScriptToolCall, step: PlanStep): boolean {
  if (typeof input === 'string') return false;
  if (name === 'bash') return isCommandNoted(seen, String(input['command']));
  if (name === 'write') return isFileNoted(seen, String(input['path']), 'created');
  return step.mayFail !== true && isFileNoted(seen, String(input['path']), 'modified');
}

function reply(seen: Seen, step: PlanStep): ScriptReply {
  return { text: typeof step.text === 'string' ? step.text : step.text(seen), toolCalls: step.calls(seen) };
}

function retry(seen: Seen, step: PlanStep): ScriptReply {
  return { text: 'That did not work. I try it again.', toolCalls: step.calls(seen) };
}

function giveUp(item: PlanItem, failure: string): string {
  return `I could not finish "${item.todo}", so the application is not complete. The last result was:\n\n${failure}`;
}
