import type { Message, Part } from '@longhaul/protocol';
import { prepareSession } from '@longhaul/replay';
import { expect, test } from 'vitest';
import { delegate } from './delegate.ts';
import { exploringStretches } from './stretches.ts';

interface Call {
  command: string;
  result?: string;
}

/** A user's text, or a step with a text and the calls of its commands. */
type Item = string | { say?: string; calls: Call[] };

function messagesOf(items: readonly Item[]): Message[] {
  return items.map((item, index) => ({
    id: `m${index + 1}`,
    sessionId: 's',
    sequence: index + 1,
    role: typeof item === 'string' ? 'user' : 'assistant',
    parts: typeof item === 'string' ? [text(item)] : stepParts(item, index),
    status: 'done',
    createdAt: index,
    tokenCount: 0,
  }));
}

function stepParts({ say, calls }: Exclude<Item, string>, step: number): Part[] {
  const parts = calls.map(
    ({ command, result = '' }, index): Part => ({
      type: 'tool',
      callId: `c${step}-${index}`,
      name: 'bash',
      input: { command },
      state: 'completed',
      output: [{ type: 'text', text: result }],
    }),
  );
  return say === undefined ? parts : [text(say), ...parts];
}

function text(content: string): Part {
  return { type: 'text', text: content, state: 'done' };
}

const reading = (command: string, result = '') => ({ calls: [{ command, result }] });

test('finds stretches of reading steps between what users say and what changes something', async () => {
  const messages = messagesOf([
    'Find it.',
    reading('ls'),
    { say: 'I continue.', calls: [] },
    reading('cat src/a.ts'),
    { say: 'Found.', calls: [] },
    { calls: [{ command: 'cat src/b.ts' }, { command: 'npm test' }] },
    reading('cat src/b.ts'),
    'Stop.',
    reading('cat src/c.ts'),
  ]);
  expect(await exploringStretches(messages, 1)).toEqual([
    { first: 1, last: 3, steps: 2 },
    { first: 6, last: 6, steps: 1 },
    { first: 8, last: 8, steps: 1 },
  ]);
  expect(await exploringStretches(messages, 2)).toEqual([{ first: 1, last: 3, steps: 2 }]);
});

const LONG = 'some plain words, and '.repeat(1_000);

async function familyOf(items: readonly Item[]) {
  const prepared = prepareSession(messagesOf(items));
  return delegate(prepared, await exploringStretches(prepared.session.messages, 2));
}

const answerIn = (message: Message | undefined) => {
  const part = message?.parts[0];
  return part?.type === 'tool' ? part.output : undefined;
};

test('leaves of a stretch the next text and the names that later steps use', async () => {
  const { parent, delegations } = await familyOf([
    'Find it.',
    reading('grep -rn parse .', `${LONG} src/parse_words.ts`),
    reading('cat src/parse_words.ts', `function readWordAt() {} ${LONG} function otherName() {}`),
    { say: 'It is in the reader.', calls: [{ command: 'npm test -- -t readWordAt' }] },
  ]);
  expect(parent.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
  expect(answerIn(parent[1])).toEqual([
    { type: 'text', text: 'It is in the reader.\nsrc/parse_words.ts: readWordAt' },
  ]);
  expect(delegations).toMatchObject([{ steps: 2, names: 1, lostNames: 0, readAgainTokens: 0 }]);
  expect(delegations[0]?.stretchTokens).toBeGreaterThan(10_000);
  expect(delegations[0]?.answerTokens).toBeLessThan(200);
  expect(delegations[0]?.child.map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'assistant',
    'assistant',
  ]);
});

test('counts what the parent reads again before it changes a file', async () => {
  const { parent, delegations } = await familyOf([
    'Find it.',
    reading('cat src/parse_words.ts', LONG),
    reading('cat src/other_words.ts', LONG),
    { calls: [{ command: 'sed -i s/a/b/ src/parse_words.ts' }] },
  ]);
  expect(parent[2]?.parts.map((part) => part.type === 'tool' && part.input)).toEqual([
    { command: 'cat src/parse_words.ts' },
  ]);
  expect(delegations[0]?.readAgainTokens).toBeGreaterThan(5_000);
  expect(delegations[0]?.stretchTokens).toBeGreaterThan(2 * (delegations[0]?.readAgainTokens ?? 0) - 100);
});

test('reads nothing again that the session itself reads again before it changes it', async () => {
  const { delegations } = await familyOf([
    'Find it.',
    reading('cat src/parse_words.ts', LONG),
    reading('cat src/other_words.ts', LONG),
    'And change it.',
    reading('cat src/parse_words.ts', LONG),
    { calls: [{ command: 'sed -i s/a/b/ src/parse_words.ts' }] },
  ]);
  expect(delegations).toMatchObject([{ readAgainTokens: 0 }]);
});

test('cuts an answer at 8,000 characters and counts the names that have no room', async () => {
  const names = Array.from({ length: 900 }, (_, index) => `found_name_${index}`);
  const { parent, delegations } = await familyOf([
    'Find them.',
    reading('ls'),
    reading('cat src/parse_words.ts', names.join(' ')),
    { calls: [{ command: `npm test -- ${names.join(' ')}` }] },
  ]);
  const [answer] = answerIn(parent[1]) ?? [];
  expect(answer?.type === 'text' ? answer.text.length : 0).toBeLessThanOrEqual(8_000);
  expect(delegations[0]?.names).toBe(900);
  expect(delegations[0]?.lostNames).toBeGreaterThan(300);
});
