import type { LonghaulEvent } from '@longhaul/protocol';
import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };
const COUNT = 6;

/** Each session takes the same number of steps, wherever it is driven. Each has a file of its own. */
const script = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const name = /to (\w+)/.exec(JSON.stringify(messages.find(({ role }) => role === 'user')))?.[1] ?? 'none';
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < COUNT ? step(name, done + 1) : 'All done.';
};

const ALL = Array.from({ length: COUNT }, (_, index) => `${index + 1}`);

const stored = (events: readonly LonghaulEvent[]) => events.filter(({ number }) => number !== undefined);

/** No event is missing, and none comes twice. */
function checkNumbers(events: readonly LonghaulEvent[]): void {
  const numbers = stored(events).map(({ number }) => number);
  expect(numbers).toEqual(numbers.map((_, index) => index + 1));
}

describe.skipIf(isMissing)('several servers with one database', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(3, { script, windowTokens: 64_000 });
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const living = () =>
    cluster.nodes.filter(({ running: { child } }) => child.exitCode === null && !child.killed);

  /** A session in progress, the node that drives it, and another one. */
  async function working(name: string): Promise<{ id: string; owner: Node; other: Node }> {
    const [first, second] = living();
    if (first === undefined || second === undefined) throw new Error('Too few nodes are left.');
    const id = await cluster.newSession(first);
    await cluster.send(second, id, `Write to ${name}`);
    await expect.poll(() => cluster.steps(name), { timeout: 90_000 }).toContain('2');
    const pid = await cluster.ownerOf(id);
    const owner = living().find(({ running }) => running.child.pid === pid);
    const other = living().find((node) => node !== owner);
    if (owner === undefined || other === undefined) throw new Error(`No node is the process ${pid}.`);
    return { id, owner, other };
  }

  it('drive a session on one of them, and show it on all', TIMEOUT, async () => {
    const { id } = await working('all');
    const read = await Promise.all(living().map((node) => cluster.read(node, id)));
    for (const events of read) {
      checkNumbers(events);
      expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    }
    expect(await cluster.steps('all')).toEqual(ALL);
  });

  it('cancel a session at any of them', TIMEOUT, async () => {
    const { id, other } = await working('cancelled');
    expect(await other.call('POST', `/api/sessions/${id}/cancel`, {})).toMatchObject({ cancelled: true });
    const events = await cluster.read(other, id);
    expect(events.at(-1)).toMatchObject({ status: 'cancelled' });
    expect(await other.call('GET', `/api/sessions/${id}`)).toMatchObject({ state: 'cancelled' });
  });

  it('hand a session over between two steps when its server is stopped', TIMEOUT, async () => {
    const { id, owner, other } = await working('drained');
    const reading = cluster.read(other, id);
    owner.running.child.kill('SIGTERM');
    expect((await owner.running.ended).code).toBe(0);
    const events = await reading;
    checkNumbers(events);
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    expect(await cluster.steps('drained')).toEqual(ALL);
    await cluster.add();
  });

  it('continue the session of a server that is killed', TIMEOUT, async () => {
    const { id, owner, other } = await working('killed');
    owner.running.child.kill('SIGKILL');
    const events = await cluster.read(other, id);
    checkNumbers(events);
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    // What ran at the kill is not repeated by itself: its outcome is unknown, and the model decides.
    expect(new Set(await cluster.steps('killed'))).toEqual(new Set(ALL));
    await cluster.add();
  });

  it('replace a server that is suspended, which then ends what it does', TIMEOUT, async () => {
    const { id, owner, other } = await working('suspended');
    owner.running.child.kill('SIGSTOP');
    const events = await cluster.read(other, id);
    checkNumbers(events);
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    const written = await cluster.steps('suspended');
    owner.running.child.kill('SIGCONT');
    // Its first request is answered: no connection is refused.
    expect(await owner.call('GET', '/healthz')).toMatchObject({ status: 'ok' });
    await expect.poll(() => owner.call('GET', '/readyz'), { timeout: 90_000 }).toMatchObject({ runs: 0 });
    expect(await cluster.steps('suspended')).toEqual(written);
    expect(stored(await cluster.read(owner, id))).toEqual(stored(events));
  });
});
