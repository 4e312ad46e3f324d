import type { ChatMessage } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import {
  assistant,
  chat,
  contextWith,
  SYSTEM,
  selectingModel,
  textsOf,
  user,
  words,
} from '../../test/compaction-support.ts';

const base = { model: 'm', windowTokens: 8_192 };

function call(id: string, name = 'read', args = `{"path":"src/${id}.ts"}`): ChatMessage {
  return {
    role: 'assistant',
    content: null,
    tool_calls: [{ id, type: 'function', function: { name, arguments: args } }],
  };
}

function result(id: string, content: string): ChatMessage {
  return { role: 'tool', tool_call_id: id, content };
}

/** Checks what servers require: a result follows each call, and each result has its call. */
function expectPaired(messages: readonly ChatMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') expect(open.delete(message.tool_call_id ?? '')).toBe(true);
    else expect([...open]).toEqual([]);
    for (const { id } of message.tool_calls ?? []) open.add(id);
  }
  expect([...open]).toEqual([]);
}

function session(steps: number, chars: number): ChatMessage[] {
  const messages: ChatMessage[] = [SYSTEM, user('Find the bug.')];
  for (let step = 1; step <= steps; step += 1)
    messages.push(call(`c${step}`), result(`c${step}`, words(step, chars)));
  return messages;
}

it('keeps new results whole and compacts the rest around them', async () => {
  const { context } = contextWith();
  const before = session(8, 2_000);
  expect((await context.prepare({ ...base, messages: before })).isRewritten).toBe(false);
  const two: ChatMessage = {
    ...call('x'),
    tool_calls: [...(call('x').tool_calls ?? []), ...(call('y').tool_calls ?? [])],
  };
  const messages = [...before, two, result('y', words(90, 5_000)), result('x', words(91, 5_000))];
  const prepared = await context.prepare({ ...base, messages });
  expect(prepared.messages.slice(-3)).toEqual(messages.slice(-3));
  expect(prepared.compacted?.round).toBe(1);
  expectPaired(prepared.messages);
});

it('keeps a result or a question whole that takes most of the window', async () => {
  for (const newest of [result('big', words(1, 22_000)), user(words(1, 22_000))]) {
    const { context } = contextWith();
    const messages = [...session(3, 4_000), ...(newest.role === 'tool' ? [call('big')] : []), newest];
    const prepared = await context.prepare({ ...base, messages });
    expect(prepared.originalTokens).toBeGreaterThan(8_192);
    expect(prepared.messages.at(-1)).toEqual(newest);
    expect(prepared.estimatedTokens).toBeLessThan(8_192 - 1_000);
    // If the client wants more room for the answer, the message is cut.
    const asking = await context.prepare({ ...base, messages, maxTokens: 3_000 });
    expect(asking.estimatedTokens).toBeLessThan(8_192 - 3_000);
    expectPaired(prepared.messages);
  }
});

it('cuts the middle of a result that is larger than the window, and warns', async () => {
  const { context } = contextWith();
  const messages = [
    ...session(3, 2_000),
    call('big'),
    result('big', `first line\n${words(1, 60_000)}\nlast line`),
  ];
  const prepared = await context.prepare({ ...base, messages });
  const last = prepared.messages.at(-1);
  expect(last?.tool_call_id).toBe('big');
  expect(String(last?.content)).toMatch(/^first line.*\[… \d+ characters cut here …\].*last line$/s);
  expect(prepared.warnings.join()).toMatch(/tool result of \d+ tokens does not fit into the window/);
  // Nearly as much as leaves the answer its room.
  expect(prepared.estimatedTokens).toBeGreaterThan(6_700);
  expect(prepared.estimatedTokens).toBeLessThanOrEqual(7_192);
  expectPaired(prepared.messages);
  expect(messages.at(-1)?.content).toHaveLength(60_021);
});

it('separates no call from its result over many rounds, and offers no `recall`', async () => {
  const { context } = contextWith({ askModel: selectingModel().askModel });
  const messages: ChatMessage[] = [SYSTEM, user('Find the bug.')];
  let rounds = 0;
  for (let step = 1; step <= 60; step += 1) {
    messages.push(call(`c${step}`), result(`c${step}`, words(step, 1_500)));
    const prepared = await context.prepare({ ...base, messages: [...messages] });
    expectPaired(prepared.messages);
    rounds = Math.max(rounds, prepared.compacted?.round ?? 0);
    expect(textsOf(prepared.messages)).not.toMatch(/recall/i);
    if (prepared.isRewritten) expect(textsOf(prepared.messages)).toContain('src/');
  }
  expect(rounds).toBeGreaterThan(3);
});

it('keeps results without calls until the request is rewritten, then turns them into text', async () => {
  const { context } = contextWith();
  const few = [result('lost', 'Nobody called me.'), user('Hello')];
  expect((await context.prepare({ ...base, messages: few })).messages).toBe(few);
  const many = [result('lost', 'Nobody called me.'), ...chat(40).slice(1), result('again', words(3, 400))];
  const prepared = await context.prepare({ ...base, messages: many });
  expectPaired(prepared.messages);
  expect(prepared.messages.at(-1)).toEqual({
    role: 'user',
    content: `Result of a tool call that is not shown:\n${words(3, 400)}`,
  });
});

it('adds a result to a call without one, and reads calls in the form of `function_call`', async () => {
  const { context } = contextWith();
  const legacy = {
    role: 'assistant',
    content: null,
    function_call: { name: 'look', arguments: '{"at":"src/old.ts"}' },
  };
  const answer = { role: 'function', name: 'look', content: words(1, 3_000) };
  const old = [legacy, answer] as unknown as ChatMessage[];
  const messages = [
    SYSTEM,
    user('Go'),
    ...old,
    ...old,
    ...chat(25).slice(1),
    ...old.slice(0, 1),
    user('And now?'),
  ];
  const prepared = await context.prepare({ ...base, messages });
  const text = JSON.stringify(prepared.messages);
  expect(text).toContain('src/old.ts');
  // The last call has no result and gets one, in its own form.
  const last = prepared.messages.slice(-3);
  expect(last[0]).toBe(old[0]);
  expect(last[1]).toMatchObject({
    role: 'function',
    name: 'look',
    content: expect.stringContaining('Interrupted'),
  });
  const calls = prepared.messages.filter((message) => 'function_call' in message).length;
  const answers = prepared.messages.filter(({ role }) => String(role) === 'function').length;
  expect(answers).toBe(calls);
});

it('obeys strict templates: roles alternate, and no system role with no-system', async () => {
  const late: ChatMessage = { role: 'system', content: 'The user is in Rome.' };
  const steps = session(9, 2_400);
  const messages = [
    ...steps,
    assistant('Found.'),
    user('Thanks.'),
    user('One more thing.'),
    late,
    call('z'),
    result('z', 'ok'),
    user('Well?'),
  ];
  const rolesOf = (list: readonly ChatMessage[]) => list.map(({ role }) => role).join(' ');
  for (const strictRoles of ['alternate', 'no-system'] as const) {
    const { context } = contextWith();
    const prepared = await context.prepare({ ...base, messages, strictRoles });
    const roles = rolesOf(prepared.messages);
    expect(roles).toMatch(
      strictRoles === 'alternate'
        ? /^system user( assistant( tool)* user| assistant( tool)+)*( assistant user)*$/
        : /^user( assistant( tool)* user| assistant( tool)+)*$/,
    );
    expect(roles).not.toMatch(/user user|assistant assistant|tool user/);
    expect(textsOf(prepared.messages)).toContain('The user is in Rome.');
    expect(textsOf(prepared.messages)).toContain('You are a helpful assistant.');
    expectPaired(prepared.messages);
  }
});
