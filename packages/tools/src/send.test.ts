import type { Contact, Contacts } from '@longhaul/core';
import { expect, test } from 'vitest';
import { openToolFixture, refusalOf, textOf } from '../test/tool-fixtures.ts';
import { createSendTool } from './send.ts';

const send = createSendTool();
const OTHER: Contact = { id: 's2', title: 'Fix\u202e it', agent: 'coder', isWorking: true };
const FAR: Contact = { id: 's3', title: 'API', agent: 'coder', isWorking: false, workspace: '/api' };

async function called(input: object, contacts?: Partial<Contacts>) {
  await using fixture = await openToolFixture();
  const parsed = send.parse(input as never);
  if (!parsed.ok) throw new Error(parsed.reason);
  const none: Contacts = {
    list: async () => [],
    send: async () => ({ isSent: false, reason: 'You cannot.' }),
  };
  const context = { ...fixture.context, ...(contacts && { contacts: { ...none, ...contacts } }) };
  return await send.execute(parsed.input, context);
}

test('sends a message with the handle of its call', async () => {
  const calls: unknown[] = [];
  const contacts: Partial<Contacts> = {
    send: async (...args) => {
      calls.push(args);
      return { isSent: true, contact: OTHER, position: 2 };
    },
  };
  const result = await called({ to: 's2', text: 'Hello.' }, contacts);
  expect(calls).toEqual([[{ name: 's2', handle: 'm12.3' }, 'Hello.']]);
  expect(textOf(result)).toBe(
    'Sent to "Fix\\u202e it", position 2 of its queue. It gets the message before its next step.',
  );
  expect(result.metadata).toEqual({ sentTo: 's2' });
});

test('returns the reason of a refusal as a failure', async () => {
  expect(await called({ session: 'x', message: 'Hi' }, {})).toMatchObject({ isError: true });
  const nobody = await called({ session: 'x', message: 'Hi' });
  expect([textOf(nobody), nobody.isError]).toEqual(['This session may write to no other session.', true]);
});

test('lists the sessions without a message', async () => {
  const list = async () => [OTHER, FAR];
  expect(textOf(await called({}, { list }))).toBe(
    '- s2 "Fix\\u202e it": agent coder, working\n- s3 "API": agent coder, idle, in /api',
  );
  expect(textOf(await called({}, {}))).toBe('There is no session that you can write to now.');
});

test('needs a session for a message, and refuses a long one', () => {
  expect(refusalOf(send, { message: 'Hi' })).toContain('session is missing');
  expect(refusalOf(send, { session: 'x', message: 'x'.repeat(20_001) })).toContain('may have 20000');
});
