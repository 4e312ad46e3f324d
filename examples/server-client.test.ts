import { existsSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { createClient } from '@longhaul/client';
import { hasToolCall, type Script, toolResults, userTexts } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { work } from './server-client.ts';
import { Served } from './test-support/serve.ts';

const say = (command: string) => ({ text: '', toolCalls: [{ name: 'bash', arguments: { command } }] });

/** Runs one command, then answers with its output and the user's other messages. */
const script: Script = ({ messages }) => {
  if (!hasToolCall(messages, 'bash')) return say('touch made && echo touched');
  const also = userTexts(messages).slice(1).join(' ');
  return `${toolResults(messages)
    .map(({ result }) => result)
    .join(' ')
    .trim()}. You also said: ${also || 'nothing'}`;
};

describe('a task through the typed client and a real server', () => {
  it('streams its events, accepts a message during the run, and asks for approval', async () => {
    const { promise: isQueued, resolve: queued } = Promise.withResolvers<void>();
    // The model answers only after the second message is queued.
    const waiting: Script = async (request) => {
      if (hasToolCall(request.messages, 'bash')) await isQueued;
      return script(request);
    };
    await using served = await Served.start({ script: waiting, approvals: '[{ tool: bash, action: ask }]' });
    const client = createClient(served);
    const asked: unknown[] = [];
    let shown = '';
    const answer = await work(client, 'Make the file.', {
      meanwhile: 'And be quick.',
      approve: (toolName, args) => asked.push([toolName, args]) === 1,
      write: (text) => {
        shown += text;
        if (text.startsWith('[queued')) queued();
      },
    });
    expect(asked).toEqual([['bash', { command: 'touch made && echo touched' }]]);
    expect(existsSync(join(served.folder, 'made'))).toBe(true);
    expect(answer).toContain('touched');
    expect(answer).toContain('And be quick.');
    expect(shown).toContain('[queued at 1]');
    expect(shown).toContain(answer);
    await expect(client.sessions.get('absent')).rejects.toMatchObject({ code: 'session_not_found' });
    const stranger = createClient({ baseUrl: served.baseUrl, token: 'wrong' });
    await expect(stranger.models()).rejects.toMatchObject({ code: 'unauthorized' });
  });

  it('supports the other operations of the server', async () => {
    await using served = await Served.start({ script });
    const client = createClient(served);
    const { id } = await client.sessions.create({ title: 'One', metadata: { from: 'test' } });
    await client.sendMessage(id, 'Make the file.', { idempotencyKey: 'once' });
    for await (const event of client.events(id, { after: 0 })) if (event.type === 'run:finished') break;
    expect(await client.sendMessage(id, 'Make the file.', { idempotencyKey: 'once' })).toMatchObject({
      id: 'once',
    });
    const page = await client.messages(id);
    expect(page.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'assistant']);
    expect(await client.queue.list(id)).toMatchObject({ count: 0 });
    expect(await client.context(id)).toMatchObject({ sessionId: id, messages: { total: 3 } });
    expect(await client.pin(id, { target: 'm1' })).toMatchObject({ handle: 'm1' });
    expect(await client.undo(id)).toMatchObject({ status: 'nothing' });
    expect(await client.cancel(id)).toMatchObject({ cancelled: false });
    expect(await client.approvals.list(id, { open: true })).toEqual({ approvals: [] });
    expect(await client.search({ q: 'touched' })).toMatchObject({ hits: [{ sessionId: id }, {}] });
    expect((await client.models()).models).toContainEqual(
      expect.objectContaining({ name: 'local/scripted' }),
    );
    const settings = await client.settings.set({ compression: { strategy: 'middle-removal' } });
    expect(settings.compression.strategy).toBe('middle-removal');
    expect(await client.settings.get()).toEqual(settings);
    const exported = await client.sessions.export(id);
    const imported = await client.sessions.import(JSON.stringify(exported), { name: 'one.json' });
    expect(imported).toMatchObject({ messages: 3 });
    const fork = await client.sessions.fork(id, { at: 'm1' });
    expect((await client.messages(fork.id)).messages).toHaveLength(1);
    expect(await client.sessions.update(fork.id, { title: 'Two' })).toMatchObject({ title: 'Two' });
    await client.sessions.delete(fork.id);
    const { sessions } = await client.sessions.list({ search: 'One' });
    expect(sessions.map((session) => session.id)).toContain(id);
    await expect(client.blob(`@blob:${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'blob_not_found' });
  });

  it('receives every event once and every text completely over a connection that keeps breaking', async () => {
    const long = Array.from({ length: 400 }, (_, index) => `word${index}`).join(' ');
    let step = 0;
    const { promise: isWatched, resolve: watch } = Promise.withResolvers<void>();
    await using served = await Served.start({
      script: async () => {
        await isWatched;
        step += 1;
        return step <= 6 ? { ...say(`echo ${step}`), text: `${step}: ${long}` } : `last: ${long}`;
      },
    });
    await using breaker = await breakingProxy(served.baseUrl, 9_000);
    const { id } = await createClient(served).sessions.create();
    await createClient(served).sendMessage(id, 'Go.');
    const numbers: number[] = [];
    const texts = new Map<string, string>();
    let answer = '';
    const client = createClient({
      ...served,
      baseUrl: breaker.baseUrl,
      token: served.token,
      retryDelayMs: 5,
    });
    for await (const event of client.events(id, { after: 0 })) {
      watch();
      if (event.number !== undefined) numbers.push(event.number);
      if (event.type === 'llm:chunk') {
        const key = `${event.messageId}:${event.partIndex}`;
        const before = texts.get(key) ?? '';
        expect(event.offset).toBe(before.length);
        texts.set(key, before + event.content);
      }
      if (event.type === 'run:finished') {
        answer = event.text;
        break;
      }
    }
    expect(answer).toBe(`last: ${long}`);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    for (const text of texts.values()) expect(text).toMatch(/^(?:\d|last): word0 /);
    expect(breaker.connections()).toBeGreaterThan(5);
  });
});

/** Starts a proxy that breaks each connection after `bytes` bytes of responses. */
async function breakingProxy(baseUrl: string, bytes: number) {
  const { hostname, port } = new URL(baseUrl);
  const { connect } = await import('node:net');
  const open = new Set<Socket>();
  let count = 0;
  const server = createServer((near) => {
    count += 1;
    let left = bytes;
    const far = connect(Number(port), hostname);
    for (const socket of [near, far]) {
      open.add(socket);
      socket.on('error', () => undefined).on('close', () => open.delete(socket));
    }
    near.on('data', (data) => far.write(data)).on('end', () => far.end());
    far.on('data', (data) => {
      left -= data.length;
      near.write(
        data.subarray(0, Math.max(0, data.length + Math.min(0, left))),
        () => left <= 0 && near.destroy(),
      );
    });
    far.on('close', () => near.destroy());
    near.on('close', () => far.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('not listening');
  return {
    baseUrl: `http://127.0.0.1:${address.port}`,
    connections: () => count,
    async [Symbol.asyncDispose]() {
      for (const socket of open) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
