import { findPostgres, isRequired, startFaultyProxy } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };

/** The number of steps is the last word of the task. */
const script = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const task = JSON.stringify(messages.find(({ role }) => role === 'user'));
  const [, name = 'none', count = '0'] = /to (\w+) (\d+)/.exec(task) ?? [];
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < Number(count) ? step(name, done + 1) : 'All done.';
};

const upTo = (count: number) => Array.from({ length: count }, (_, index) => `${index + 1}`);

describe.skipIf(isMissing)('a server whose connection to the database', () => {
  let cluster: Nodes;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  beforeAll(async () => {
    cluster = await startNodes(0, { script, windowTokens: 64_000 });
    proxy = await startFaultyProxy(cluster.database.port);
    await cluster.add(undefined, { env: { LONGHAUL_TEST_DATABASE: cluster.database.urlAt(proxy.port) } });
  }, 240_000);
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  async function begin(name: string, count: number): Promise<string> {
    const [node] = cluster.nodes;
    if (node === undefined) throw new Error('No node.');
    const id = await cluster.newSession(node);
    await cluster.send(node, id, `Write to ${name} ${count}`);
    await expect.poll(() => cluster.steps(name), { timeout: 60_000 }).toContain('1');
    return id;
  }

  async function checkAll(id: string, name: string, count: number): Promise<void> {
    const node = cluster.nodes.at(-1);
    if (node === undefined) throw new Error('No node.');
    const events = await cluster.read(node, id);
    const numbers = events.flatMap(({ number }) => number ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    expect(new Set(await cluster.steps(name))).toEqual(new Set(upTo(count)));
  }

  it('is slow works on', TIMEOUT, async () => {
    proxy.delay(20);
    const id = await begin('slow', 3);
    await checkAll(id, 'slow', 3);
    expect(await cluster.steps('slow')).toEqual(upTo(3));
    proxy.delay(0);
  });

  it('is reset connects again, and repeats no step', TIMEOUT, async () => {
    const id = await begin('reset', 6);
    const before = proxy.count;
    proxy.reset();
    await checkAll(id, 'reset', 6);
    expect(proxy.count).toBeGreaterThan(before);
    expect(await cluster.steps('reset')).toEqual(upTo(6));
  });

  it(
    'is silent loses its sessions to another one, and works again when it can connect',
    TIMEOUT,
    async () => {
      const id = await begin('silent', 5);
      proxy.drop();
      await cluster.add();
      await checkAll(id, 'silent', 5);
      proxy.restore();
      const [cut] = cluster.nodes;
      const readyz = () => cut?.call('GET', '/readyz').catch(() => undefined);
      await expect.poll(readyz, { timeout: 150_000 }).toMatchObject({ status: 'ready', runs: 0 });
    },
  );
});
