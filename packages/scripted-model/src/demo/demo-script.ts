import type { ChatMessage } from '@longhaul/protocol';
import { textOf } from '../messages.ts';
import type { ScriptReply, ScriptRequest, ScriptToolCall } from '../script.ts';
import { signatureOf } from './calls.ts';
import { finalAnswer } from './final-answer.ts';
import { narrate } from './narrative.ts';
import { failureOf, nodeProblem } from './outcomes.ts';
import { FINAL_TESTS, LOOK_AROUND, PLAN, type PlanItem, type PlanStep } from './plan.ts';
import {
  callsOf,
  commandResult,
  isCommandNoted,
  isFileNoted,
  lookAt,
  type Seen,
  type SeenStep,
} from './seen.ts';

/** Words of the request for a narrative. */
export const SUMMARY_REQUEST = /summari[sz]e the session so far/i;

const ITEMS = PLAN.map((item) => item.todo);
const MAX_ATTEMPTS = 2;

/**
 * Plays a coding agent that builds a flashcard application.
 *
 * It keeps no state: where it stands, it reads from the todo list and the calls that are still in the messages, and after a compaction
 * from the summary. When that is lost, it begins again, as a model would.
 */
export function demoScript(request: Pick<ScriptRequest, 'messages' | 'asksForSummary'>): ScriptReply {
  const seen = lookAt(request.messages, ITEMS);
  if (request.asksForSummary || asksForNarrative(request.messages)) {
    return { text: narrate(request.messages, seen) };
  }
  if (!/flashcard/i.test(seen.prose)) {
    return {
      text: 'I am a scripted model and know one task only: the flashcard application of the demonstration.',
    };
  }
  if (seen.todo === undefined) return begin(seen);
  const index = PLAN.findIndex((item) => seen.todo?.get(item.todo) !== 'done');
  const item = PLAN[index];
  return item === undefined ? finish(seen) : proceed(seen, item, index);
}

function asksForNarrative(messages: readonly ChatMessage[]): boolean {
  const last = messages.at(-1);
  return last?.role === 'user' && SUMMARY_REQUEST.test(textOf(last));
}

function begin(seen: Seen): ScriptReply {
  if (callsOf(seen, 'list').length === 0) return reply(seen, LOOK_AROUND);
  const problem = nodeProblem(seen);
  return problem === undefined ? enter(seen, 0) : { text: problem };
}

/** The next step of an item, or the first of the next item. */
function proceed(seen: Seen, item: PlanItem, index: number): ScriptReply {
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
  return next === undefined ? enter(seen, index + 1) : reply(seen, next);
}

/** Updates the plan and takes the item's first step with it. */
function enter(seen: Seen, index: number): ScriptReply {
  const todo: ScriptToolCall = {
    name: 'todo',
    arguments: {
      items: PLAN.map((item, position) => ({
        text: item.todo,
        status: position < index ? 'done' : position === index ? 'in_progress' : 'pending',
      })),
    },
  };
  const first = PLAN[index]?.steps[0];
  if (first === undefined) return { text: 'Every point of the plan is done.', toolCalls: [todo] };
  const { text, toolCalls = [] } = reply(seen, first);
  return { text: text ?? '', toolCalls: [todo, ...toolCalls] };
}

function finish(seen: Seen): ScriptReply {
  if ((commandResult(seen, FINAL_TESTS) ?? '') === '') {
    return reply(seen, {
      text: 'I no longer see how the last test run ended, so I run the tests again.',
      calls: () => [{ name: 'bash', arguments: { command: FINAL_TESTS } }],
    });
  }
  return { text: finalAnswer(seen) };
}

/** The index of the item's last step of which there is a trace, -1 if there is none. */
function lastStep(seen: Seen, item: PlanItem): number {
  const inSight = item.steps.findLastIndex((step) => attemptsAt(seen, step).length > 0);
  return inSight === -1 ? item.steps.findLastIndex((step) => isNoted(seen, step)) : inSight;
}

/** The steps in sight that made all of its calls. */
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

/** Whether the summary says that all has been done that a step changes or runs. What was only read is read again. */
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
  return { text: 'That did not work. I try it once more.', toolCalls: step.calls(seen) };
}

function giveUp(item: PlanItem, failure: string): string {
  return `I could not finish "${item.todo}", so the application is not complete. The last result was:\n\n${failure}`;
}
