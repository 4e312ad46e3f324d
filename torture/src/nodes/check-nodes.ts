import type { LonghaulEvent, Message } from '@longhaul/protocol';
import { type Defect, defect } from '../checks/defect.ts';
import { CALL } from './node-script.ts';

const TASK = /task-\d+/g;

export interface NodeRecords {
  sessionId: string;
  /** The tasks that servers have accepted. */
  tasks: readonly string[];
  /** The log. */
  messages: readonly Message[];
  /** What a client has received. */
  received: readonly LonghaulEvent[];
  /** Names of calls, one for each effect. */
  effects: readonly string[];
}

/** Compares the log of a session with what its clients and its calls have recorded. */
export function checkNodes(records: NodeRecords): Defect[] {
  return [...checkTasks(records), ...checkCalls(records), ...checkEvents(records)];
}

function checkTasks({ sessionId, tasks, messages }: NodeRecords): Defect[] {
  // Messages that wait together become one.
  const texts = messages.flatMap(({ role, parts }) =>
    role === 'user'
      ? parts.flatMap((part) => (part.type === 'text' ? (part.text.match(TASK) ?? []) : []))
      : [],
  );
  return tasks.flatMap((task) => {
    const count = texts.filter((text) => text === task).length;
    if (count === 0) return [defect('lost-message', `${sessionId}: the log has no ${task}`)];
    return count > 1 ? [defect('duplicate-message', `${sessionId}: the log has ${count} times ${task}`)] : [];
  });
}

function checkCalls({ sessionId, messages, effects }: NodeRecords): Defect[] {
  const calls = messages.flatMap(({ parts }) => parts.filter((part) => part.type === 'tool'));
  return calls.flatMap(({ input, state, callId, metadata }) => {
    const [name = callId] = JSON.stringify(input).match(CALL) ?? [];
    const count = effects.filter((effect) => effect === name).length;
    if (count > 1)
      return [defect('repeated-side-effect', `${sessionId}: ${name} took effect ${count} times`)];
    if (state === 'completed' && count === 0)
      return [defect('orphan-call', `${sessionId}: ${name} is completed without an effect`)];
    // The outcome of an interrupted call is unknown: it may have taken effect.
    if (state === 'pending' || state === 'running')
      return [
        defect('orphan-call', `${sessionId}: ${name} has no result: ${state} ${JSON.stringify(metadata)}`),
      ];
    return [];
  });
}

function checkEvents({ sessionId, received }: NodeRecords): Defect[] {
  const wrong = received.findIndex(({ number }, index) => number !== index + 1);
  if (wrong === -1) return [];
  const numbers = received.slice(Math.max(0, wrong - 2), wrong + 3).map(({ number }) => number);
  return [defect('corruption', `${sessionId}: a client received the events ${numbers.join(', ')}`)];
}

/** Effects of calls that are in no log. */
export function checkEffects(effects: readonly string[], messages: readonly Message[]): Defect[] {
  const known = new Set(JSON.stringify(messages).match(CALL) ?? []);
  return [...new Set(effects)]
    .filter((effect) => !known.has(effect))
    .map((effect) => defect('orphan-call', `${effect} is in no log`));
}
