import type { Message, MessageOrigin, Part, Session } from '@longhaul/protocol';
import { createMemoryStore } from '@longhaul/storage';
import { answer, playedDriver, testRun } from '@longhaul/testing/doubles';
import { expect, it } from 'vitest';
import { MAX_HOPS, MAX_SENT_IN_TURN, SessionContacts } from './session-contacts.ts';

const agentOf = () => 'coder';

/** A session with messages, and others that it may write to by their titles. */
async function contactsOf({
  others = ['Other'],
  patterns = ['Other*'],
  messages = [],
}: {
  others?: string[];
  patterns?: string[];
  messages?: Message[];
} = {}) {
  const store = createMemoryStore();
  const test = await testRun(playedDriver([answer('Done.')]), [], { store });
  const { runtime } = test;
  const session = (await store.getSession(test.sessionId)) as Session;
  const made: Session[] = [];
  for (const title of others)
    made.push(await runtime.createSession({ workspace: '/', model: 'played/test', task: 't', title }));
  const { queue } = runtime;
  const talk = { patterns, agentOf };
  const contacts = new SessionContacts({ store, queue, session, talk, messages: () => messages });
  const queued = async (index: number) => await queue.list(made[index]?.id ?? '');
  return { ...test, session, made, contacts, queued };
}

const message = (role: 'user' | 'assistant', more: Partial<Message> = {}): Message => ({
  id: 'x',
  sessionId: 's',
  sequence: 1,
  role,
  parts: [],
  status: 'done',
  createdAt: 0,
  tokenCount: 0,
  ...more,
});

const from = (origin: MessageOrigin) =>
  message('user', { metadata: { synthetic: 'sent', origins: [origin] } });

const sentBefore = (count: number): Message => {
  const part: Part = {
    type: 'tool',
    callId: 'c',
    name: 'send',
    input: {},
    state: 'completed',
    metadata: { sentTo: 's2' },
  };
  return message('assistant', { parts: Array.from({ length: count }, () => part) });
};

it('sends with its origin, once for each call', async () => {
  const { contacts, made, queued, session } = await contactsOf();
  const to = { name: 'other', handle: 'm2.0' };
  for (let time = 0; time < 2; time += 1)
    expect(await contacts.send(to, 'Hello.')).toMatchObject({
      isSent: true,
      position: 1,
      contact: { id: made[0]?.id, title: 'Other', agent: 'coder', isWorking: false },
    });
  expect(await queued(0)).toMatchObject([
    {
      id: `${session.id}:m2.0`,
      content: [{ type: 'text', text: 'Hello.' }],
      metadata: { origin: { kind: 'session', sessionId: session.id, title: 'the task', hops: 1 } },
    },
  ]);
  await contacts.send({ ...to, handle: 'm2.1' }, 'Hello.');
  expect(await queued(0)).toHaveLength(2);
});

it('finds a session by its id, the beginning of it or its title, and names those that are meant', async () => {
  const { contacts, made } = await contactsOf({ others: ['Other', 'Other', 'Hidden'] });
  expect((await contacts.list()).map(({ id }) => id)).toEqual([made[1]?.id, made[0]?.id]);
  const sentTo = async (name: string) => {
    const sent = await contacts.send({ name, handle: `m3.${name.length}` }, 'Hi.');
    return sent.isSent ? sent.contact.id : sent.reason;
  };
  const id = made[0]?.id ?? '';
  expect(await sentTo(id)).toBe(id);
  expect(await sentTo(id.slice(0, -1).toUpperCase())).toMatch(new RegExp(`^2 sessions have|^${id}$`));
  expect(await sentTo('Other')).toMatch(/^2 sessions have this name/);
  expect(await sentTo('Hidden')).toMatch(/^You cannot write to a session "Hidden"/);
  expect(await sentTo(id.slice(0, 3))).toMatch(/^You cannot write/);
});

it('lets a session of the workspace be answered that has just written', async () => {
  const messages: Message[] = [];
  const { contacts, made, queued } = await contactsOf({ patterns: ['nobody'], messages });
  const id = made[0]?.id ?? '';
  expect(await contacts.list()).toEqual([]);
  messages.push(message('user'), from({ kind: 'session', sessionId: id, hops: 2 }));
  expect(await contacts.send({ name: id, handle: 'm4.0' }, 'Yes.')).toMatchObject({ isSent: true });
  expect(await queued(0)).toMatchObject([{ metadata: { origin: { hops: 3 } } }]);
  messages.push(message('user'));
  expect(await contacts.list()).toEqual([]);
});

it('ends a conversation of sessions that no user takes part in, and floods of messages', async () => {
  const messages = [message('user'), from({ kind: 'session', sessionId: 's9', hops: MAX_HOPS })];
  const { contacts, queued } = await contactsOf({ messages });
  const send = async () => await contacts.send({ name: 'Other', handle: 'm4.0' }, 'Again.');
  expect(await send()).toMatchObject({
    isSent: false,
    reason: expect.stringContaining('4 messages of sessions have followed one another'),
  });
  messages.push(message('user'), sentBefore(MAX_SENT_IN_TURN));
  expect(await send()).toMatchObject({
    isSent: false,
    reason: expect.stringContaining('has sent 10 messages'),
  });
  expect(await queued(0)).toEqual([]);
  messages.push(message('user'));
  expect(await send()).toMatchObject({ isSent: true });
});

it('sends no blank message', async () => {
  const { contacts } = await contactsOf();
  expect(await contacts.send({ name: 'Other', handle: 'm1.0' }, ' \n')).toMatchObject({ isSent: false });
});
