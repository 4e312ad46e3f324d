import type { LonghaulEvent } from '@longhaul/protocol';
import {
  findPostgres,
  isRequired,
  type PostgresReplica,
  startFaultyProxy,
  startReplica,
} from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };
const COUNT = 10;

const script = ({ messages }: { messages: readonly { role: string }[] }) => {
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < COUNT ? step('replicated', done + 1) : 'All done.';
};

const isCompleted = (event: LonghaulEvent | undefined) =>
  event?.type === 'run:finished' && event.status === 'completed';

describe.skipIf(isMissing)('a replica that takes the place of the database', () => {
  let cluster: Nodes;
  let replica: PostgresReplica;
  let proxy: Awaited<ReturnType<typeof startFaultyProxy>>;
  beforeAll(async () => {
    cluster = await startNodes(0, { script, windowTokens: 64_000 }, { database: { isDurable: true } });
    proxy = await startFaultyProxy(cluster.database.port);
  }, 240_000);
  afterAll(async () => {
    await cluster[Symbol.asyncDispose]();
    await replica?.[Symbol.asyncDispose]();
    await proxy[Symbol.asyncDispose]();
  });

  it('loses what it has not received, and no lease is granted twice', TIMEOUT, async () => {
    const through = { env: { LONGHAUL_TEST_DATABASE: cluster.database.urlAt(proxy.port) } };
    const node = await cluster.add(undefined, through);
    await cluster.add(undefined, through);
    replica = await startReplica(cluster.database);
    const id = await cluster.newSession(node);
    await cluster.send(node, id, 'Write');
    await expect.poll(() => cluster.steps('replicated'), { timeout: 90_000 }).toContain('2');
    const count = `SELECT count(*) FROM longhaul.messages WHERE session_id = '${id}'`;
    await expect.poll(() => replica.query(count), { timeout: 90_000 }).not.toBe('0');
    await replica.cutOff();
    await expect.poll(() => cluster.steps('replicated'), { timeout: 90_000 }).toContain('5');
    const epoch = `SELECT max(epoch) FROM longhaul.heads WHERE session_id = '${id}'`;
    const [lost, before] = [await cluster.database.query(count), await cluster.database.query(epoch)];
    await cluster.database.kill();
    await replica.promote();
    expect(Number(await replica.query(count))).toBeLessThan(Number(lost));
    proxy.redirect(replica.port);
    proxy.reset();

    const last = await cluster.add(['--resume'], through);
    const events = await cluster.read(last, id);
    // A run that lost what it had written ends, and another one continues.
    while (events.at(-1)?.type === 'run:finished' && !isCompleted(events.at(-1)))
      events.push(...(await cluster.read(last, id, events.at(-1)?.number)));
    const numbers = events.flatMap(({ number }) => number ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    // Steps whose rows are lost are repeated, because nothing says that they were made.
    expect(new Set(await cluster.steps('replicated')).size).toBe(COUNT);
    expect(Number(await replica.query(epoch))).toBeGreaterThan(Number(before));
  });
});
