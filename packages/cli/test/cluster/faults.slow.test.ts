import type { LonghaulEvent } from '@longhaul/protocol';
import { findFaketime, findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const library = findFaketime();
const TIMEOUT = { timeout: 300_000 };
const COUNT = 5;

const script = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const name = /to (\w+)/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')))?.[1] ?? 'none';
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < COUNT ? step(name, done + 1) : 'All done.';
};

function checkEvents(events: readonly LonghaulEvent[]): void {
  const numbers = events.flatMap(({ number }) => number ?? []);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
  expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
}

describe.skipIf(isMissing)('several servers', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(2, { script, windowTokens: 64_000 }, { database: { isDurable: true } });
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function begin(name: string): Promise<string> {
    const [first] = cluster.nodes;
    if (first === undefined) throw new Error('No node.');
    const id = await cluster.newSession(first);
    await cluster.send(first, id, `Write to ${name}`);
    await expect.poll(() => cluster.steps(name), { timeout: 90_000 }).toContain('1');
    return id;
  }

  /** Reads a session to its end, again after a stream that was cut. */
  async function readAll(id: string): Promise<LonghaulEvent[]> {
    const node = cluster.nodes.at(-1);
    if (node === undefined) throw new Error('No node.');
    let events: LonghaulEvent[] = [];
    const read = async () => {
      events = await cluster.read(node, id).catch(() => []);
      return events.length;
    };
    await expect.poll(read, { timeout: 90_000 }).toBeGreaterThan(0);
    return events;
  }

  it('continue their sessions after the database was killed and started again', TIMEOUT, async () => {
    const ids = [await begin('one'), await begin('two'), await begin('three')];
    await cluster.database.kill();
    await cluster.database.start();
    for (const id of ids) checkEvents(await readAll(id));
    for (const name of ['one', 'two', 'three'])
      expect(new Set(await cluster.steps(name))).toEqual(new Set(['1', '2', '3', '4', '5']));
  });

  it.skipIf(library === undefined && !isRequired('faketime'))(
    'share sessions with one whose clock is an hour ahead',
    TIMEOUT,
    async () => {
      const clock = { LD_PRELOAD: library ?? '', FAKETIME: '+1h', DONT_FAKE_MONOTONIC: '1' };
      const ahead = await cluster.add(undefined, { env: clock });
      for (const { running } of cluster.nodes.slice(0, 2)) running.child.kill('SIGTERM');
      for (const { running } of cluster.nodes.slice(0, 2)) await running.ended;
      const id = await cluster.newSession(ahead);
      await cluster.send(ahead, id, 'Write to clock');
      await expect.poll(() => cluster.steps('clock'), { timeout: 90_000 }).toContain('2');
      // The session has not expired for a server with the right time.
      const other = await cluster.add();
      const reading = cluster.read(other, id);
      ahead.running.child.kill('SIGKILL');
      checkEvents(await reading);
    },
  );
});
