import { createApprovers } from '@longhaul/approvals';
import type { RuntimeOptions, StepEvent, StepRequest } from '@longhaul/core';
import type { Approval } from '@longhaul/protocol';
import { expect, it } from 'vitest';
import { pieces, startTestServer, type TestServer } from './test-server.ts';

/** A model that makes two calls with the same id, and a counter of the calls that ran. */
function publisher() {
  const published: unknown[] = [];
  const publish: RuntimeOptions['tools'][number] = {
    name: 'publish',
    schema: { name: 'publish', description: 'publishes', parameters: { type: 'object', properties: {} } },
    parse: (input) => ({ ok: true, input }),
    execute: async (input) => {
      published.push(input);
      return { content: [{ type: 'text', text: 'published' }] };
    },
  };
  async function* play(_: string, { messages }: StepRequest): AsyncGenerator<StepEvent> {
    const version = messages.filter(({ role }) => role === 'assistant').length + 1;
    if (version > 2) return yield* pieces('done');
    yield { type: 'tool-call', callId: 'c1', name: 'publish', input: { version } };
    yield { type: 'finish', finishReason: 'tool-calls' };
  }
  const approverFor = createApprovers({
    rules: [{ tool: '*', action: 'ask' }],
    ask: 'wait',
    timeoutMs: null,
  });
  return { published, given: { play, run: { tools: [publish], approverFor } } };
}

async function waiting(server: TestServer, sessionId: string, version: number): Promise<Approval> {
  let found: Approval | undefined;
  const look = async () => {
    const path = `/api/sessions/${sessionId}/approvals?open=true`;
    const { approvals } = await server.call<{ approvals: Approval[] }>('GET', path);
    found = approvals.find(({ args }) => JSON.stringify(args) === JSON.stringify({ version }));
    return found;
  };
  await expect.poll(look).toBeDefined();
  if (found === undefined) throw new Error(`there is no approval request for version ${version}`);
  return found;
}

async function say(server: TestServer, sessionId: string, body: object) {
  const response = await post(server, `/api/sessions/${sessionId}/approvals/c1`, body);
  return { status: response.status, body: await response.json() };
}

it('does not apply a late answer to a later call with the same id', async () => {
  const { published, given } = publisher();
  await using server = await startTestServer(given);
  const id = await server.newSession();
  await server.call('POST', `/api/sessions/${id}/messages`, { content: 'go' });
  const first = await waiting(server, id, 1);
  expect(await say(server, id, { answer: 'deny', handle: first.handle })).toMatchObject({
    status: 200,
    body: { isNew: true, approval: { answer: 'deny' } },
  });
  const second = await waiting(server, id, 2);
  expect([second.callId, second.handle === first.handle]).toEqual([first.callId, false]);

  const late = await say(server, id, { answer: 'once', handle: first.handle });
  expect(late).toMatchObject({
    status: 404,
    body: { error: { code: 'not_found', message: expect.stringContaining('already answered (deny)') } },
  });
  const unnamed = await say(server, id, { answer: 'once' });
  expect(unnamed).toMatchObject({
    status: 400,
    body: { error: { code: 'invalid_request', message: expect.stringContaining('`handle`') } },
  });
  expect((await waiting(server, id, 2)).answeredAt).toBeUndefined();
  expect(published).toEqual([]);

  await say(server, id, { answer: 'once', handle: second.handle });
  await expect.poll(() => published).toEqual([{ version: 2 }]);
});

it('applies answers of a page only to the request that it shows, even if the call id was used before', async () => {
  const { published, given } = publisher();
  await using server = await startTestServer(given);
  const ask = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] };
  const send = (...answers: object[]) =>
    post(server, '/api/chat', { id: 'chat', trigger: 'submit-message', messages: [ask, ...answers] });
  const asked = await (await send()).text();
  const { sessionId } = await server.call<{ sessionId: string }>('GET', '/api/chat/chat');
  const first = await waiting(server, sessionId, 1);
  expect(asked).toContain(`"approvalId":"${first.handle}"`);
  expect(await (await send(responded(first, false))).text()).toContain('"approved":false');
  const second = await waiting(server, sessionId, 2);

  const late = await send(responded(first, true));
  expect((await waiting(server, sessionId, 2)).answeredAt).toBeUndefined();
  expect(published).toEqual([]);
  await say(server, sessionId, { answer: 'once', handle: second.handle });
  expect(await late.text()).toContain('done');
  expect(published).toEqual([{ version: 2 }]);
});

/** An assistant message with the answer of the page's user. */
function responded({ handle, callId, toolName }: Approval, approved: boolean): object {
  const approval = { id: handle, approved };
  const part = { type: 'dynamic-tool', toolName, toolCallId: callId, input: {}, approval };
  return { id: 'a1', role: 'assistant', parts: [{ ...part, state: 'approval-responded' }] };
}

function post(server: TestServer, path: string, body: object): Promise<Response> {
  const headers = { 'content-type': 'application/json' };
  return server.fetch(path, { method: 'POST', headers, body: JSON.stringify(body) });
}
