import assert from 'node:assert/strict';
import type { Part, ToolPart } from '@longhaul/protocol';
import { describe, it } from 'vitest';
import type { StoredPart, StoredRun } from '../records/read-database.ts';
import { checkFamily } from './check-family.ts';
import { answerOf, effectsOf, promptOf } from './family-plan.ts';
import type { StoredFamily, StoredMember } from './read-family.ts';

const closed = (part: Part, index: number): StoredPart => ({ index, part, fingerprint: 'closed' });
const say = (text: string): Part => ({ type: 'text', text, state: 'done' });

function message(sequence: number, role: 'user' | 'assistant', parts: readonly Part[]) {
  return { id: `${sequence}`, sequence, role, status: 'done' as const, parts: parts.map(closed) };
}

const ENDED: StoredRun = { runId: 'r', epoch: 1, startedAt: 1, status: 'completed', hasEnded: true };

function member(id: string, of: Partial<StoredMember>): StoredMember {
  return {
    id,
    parentId: undefined,
    parentCallId: undefined,
    task: '',
    messages: [],
    runs: [ENDED],
    events: [{ number: 1, payload: { type: 'run:started', runId: 'r', task: '', model: 'm' } }, END],
    waiting: [],
    marks: [],
    compactions: 0,
    prunes: 0,
    problems: [],
    ...of,
  };
}

const END: StoredMember['events'][number] = {
  number: 2,
  payload: {
    type: 'run:finished',
    runId: 'r',
    status: 'completed',
    stepCount: 1,
    compactions: 0,
    text: '',
    usage: {
      inputTokens: 0,
      outputTokens: 0,
      totalTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
      reasoningTokens: 0,
    },
  },
};

const result = (name: string, handle: string) =>
  `${answerOf(name)} all effects are made.\n[To search its log: handle "${handle}".]`;

function call(name: string, isBackground: boolean, text: string): ToolPart {
  return {
    type: 'tool',
    callId: `call ${name}`,
    name: 'task',
    input: { prompt: promptOf(name), ...(isBackground && { background: true }) },
    state: 'completed',
    output: [{ type: 'text', text }],
  };
}

function child(name: string): StoredMember {
  const messages = [
    message(1, 'user', [say(promptOf(name))]),
    message(2, 'assistant', [say(`${answerOf(name)} all effects are made.`)]),
  ];
  return member(`child ${name}`, {
    parentId: 'parent',
    parentCallId: `call ${name}`,
    task: promptOf(name),
    messages,
  });
}

/** A parent that has waited for one child, and has the result of another one as a message. */
function family() {
  const waited = call('1.1', false, result('1.1', 'm2.0'));
  const later = call('1.3', true, 'Started as m2.1.');
  const messages = [
    message(1, 'user', [say('Lead the family.')]),
    message(2, 'assistant', [waited, later]),
    message(3, 'user', [say(result('1.3', 'm2.1'))]),
  ];
  const members = [member('parent', { messages }), child('1.1'), child('1.3')] as const;
  const effects = ['1.1', '1.3'].flatMap((name) =>
    effectsOf(name).map((key) => ({ key, sessionId: `child ${name}`, callId: key, at: 1, life: 1 })),
  );
  return { members: [...members], effects, waited, later, parent: members[0] };
}

function found(stored: StoredFamily): string[] {
  return checkFamily(stored).defects.map(({ kind, what }) => `${kind}: ${what}`);
}

describe('the checks of a family', () => {
  it('find nothing in a whole family', () => {
    assert.deepEqual(found(family()), []);
    assert.deepEqual(checkFamily(family()).figures, { children: 2, delivered: 1, effects: 4, cancelled: 0 });
  });

  it('find a result that is missing in a call', () => {
    const { waited, ...stored } = family();
    waited.output = [{ type: 'text', text: 'Nothing.' }];
    assert.match(found(stored).join('\n'), /^lost-message: parent m2\.0 \(child 1\.1\) has no result/);
  });

  it('find a result that never came as a message', () => {
    const { parent, ...stored } = family();
    parent.messages.pop();
    assert.match(found(stored).join('\n'), /^lost-message: parent m2\.1 \(child 1\.3\) has no result/);
  });

  it('find a result that came twice', () => {
    const { parent, ...stored } = family();
    parent.messages.push(message(4, 'user', [say(result('1.3', 'm2.1'))]));
    assert.match(found(stored).join('\n'), /^duplicate-message: parent m2\.1 \(child 1\.3\) has 2 results/);
  });

  it('find a call with two children, and a child that has its task twice', () => {
    const stored = family();
    stored.members.push({ ...child('1.1'), id: 'another child 1.1' });
    assert.match(found(stored).join('\n'), /^repeated-side-effect: call parent call 1\.1 has 2 children/);
    const repeated = family();
    repeated.members[1]?.messages.push(message(3, 'user', [say(promptOf('1.1'))]));
    assert.deepEqual(found(repeated), ['repeated-side-effect: child 1.1 has its task 2 times']);
  });

  it('find a child without a call, and one that has not ended', () => {
    const { parent, ...stored } = family();
    parent.messages[1]?.parts.pop();
    assert.match(found(stored).join('\n'), /orphan-call: child 1\.3 is the child of no call/);
    const running = family();
    running.members[1]?.runs.push({ ...ENDED, epoch: 2, runId: 'r2', hasEnded: false });
    assert.deepEqual(found(running), ['orphan-call: child 1.1: run 2 has not ended']);
    const held = family();
    held.members[1]?.runs.push({ ...ENDED, epoch: 2, runId: 'hold-r2', hasEnded: false });
    assert.deepEqual(found(held), []);
  });

  it('find a call with an unknown outcome, unless it was cancelled', () => {
    const { waited, ...stored } = family();
    waited.state = 'interrupted';
    waited.output = [{ type: 'text', text: 'The outcome of this call is unknown.' }];
    assert.match(found(stored).join('\n'), /^unknown-outcome: the outcome of parent m2\.0/);
    waited.output = [{ type: 'text', text: 'Cancelled: the outcome is unknown.' }];
    assert.deepEqual(found(stored), []);
  });

  it.each([
    ['interrupted', '[Not run: the run ended before this call started.]'],
    ['error', 'Not run: the answer with this call broke off.'],
  ] as const)('find a child of a call that is reported as not run (%s)', (state, text) => {
    const { waited, ...stored } = family();
    waited.state = state;
    waited.output = [{ type: 'text', text }];
    assert.match(found(stored).join('\n'), /^lost-message: parent m2\.0 .* reported as not run/);
    stored.members.splice(1, 1);
    assert.deepEqual(found(stored), []);
  });

  it('find an effect that was made twice, and one that was not made', () => {
    const stored = family();
    const [first] = stored.effects;
    if (first !== undefined) stored.effects.push(first);
    assert.deepEqual(found(stored), ['repeated-side-effect: effect 1.1/a was made 2 times']);
    stored.effects.splice(0, stored.effects.length, ...family().effects.slice(1));
    assert.deepEqual(found(stored), ['lost-message: effect 1.1/a was not made, but its child has answered']);
  });
});
