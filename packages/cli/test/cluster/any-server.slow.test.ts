import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };

const script = ({ messages }: { messages: readonly { role: string }[] }) =>
  messages.some(({ role }) => role === 'tool') ? 'Done.' : step('asked', 1);

describe.skipIf(isMissing)('several servers', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(
      2,
      { script, windowTokens: 64_000 },
      { config: 'cluster: { machine: $MACHINE }\nserver: { maxRuns: 1 }\n', env: { MACHINE: 'here' } },
    );
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  /** The nodes with the session's owner first. */
  async function byOwner(id: string): Promise<[Node, Node]> {
    await expect.poll(() => cluster.ownerOf(id), { timeout: 90_000 }).toBeDefined();
    const pid = await cluster.ownerOf(id);
    const [first, second] = cluster.nodes.toSorted(
      (left, right) => Number(right.running.child.pid === pid) - Number(left.running.child.pid === pid),
    );
    if (first === undefined || second === undefined) throw new Error('Too few nodes.');
    return [first, second];
  }

  type Open = { approvals: { sessionId: string; callId: string }[] };

  it(
    'take the answer to a request for approval at any of them, and change settings of all',
    TIMEOUT,
    async () => {
      const [first] = cluster.nodes as [Node];
      const id = await cluster.newSession(first);
      await cluster.send(first, id, 'Ask');
      const [owner, other] = await byOwner(id);
      const open = () => other.call<Open>('GET', '/api/approvals');
      await expect.poll(async () => (await open()).approvals.length, { timeout: 90_000 }).toBe(1);
      const [{ callId }] = (await open()).approvals as [Open['approvals'][number]];
      await other.call('POST', `/api/sessions/${id}/approvals/${callId}`, { answer: 'once' });
      expect((await cluster.read(owner, id)).at(-1)).toMatchObject({ status: 'completed', text: 'Done.' });
      await other.call('PUT', '/api/settings', { compression: { strategy: 'middle-removal' } });
      await expect
        .poll(() => owner.call('GET', '/api/settings'), { timeout: 90_000 })
        .toMatchObject({ compression: { strategy: 'middle-removal' } });
    },
  );

  it('drive more sessions than they have places while people have to answer', TIMEOUT, async () => {
    const [first] = cluster.nodes as [Node];
    const ids = [];
    for (let number = 0; number < 3; number += 1) ids.push(await cluster.newSession(first));
    for (const id of ids) await cluster.send(first, id, 'Ask');
    const open = async () => (await first.call<Open>('GET', '/api/approvals')).approvals;
    // A run that waits for an answer gives its place to the next.
    await expect.poll(async () => (await open()).length, { timeout: 90_000 }).toBe(3);
    const metrics = async () => await (await fetch(`${first.url}/metrics`)).text();
    await expect.poll(metrics, { timeout: 90_000 }).toContain('longhaul_machine_sessions{state="driven"} 3');
    expect(await metrics()).toContain('longhaul_node{machine="here",role="all"} 1');
    const answered = new Set<string>();
    const answerAll = async () => {
      for (const { sessionId, callId } of await open()) {
        await first.call('POST', `/api/sessions/${sessionId}/approvals/${callId}`, { answer: 'once' });
        answered.add(sessionId);
      }
      return answered.size;
    };
    await expect.poll(answerAll, { timeout: 90_000 }).toBe(3);
    for (const id of ids) expect((await cluster.read(first, id)).at(-1)).toMatchObject({ text: 'Done.' });
  });

  it('drive sessions of their machine only, which wait for one of its servers', TIMEOUT, async () => {
    const elsewhere = { env: { MACHINE: 'elsewhere' } };
    const away = await cluster.add(undefined, elsewhere);
    const id = await cluster.newSession(away);
    away.running.child.kill('SIGTERM');
    await away.running.ended;
    const [first] = cluster.nodes as [Node];
    expect(await cluster.send(first, id, 'Ask')).toMatchObject({ queued: true });
    const doctor = async () =>
      (
        await cluster.bench.run(['doctor', '--json'], {
          env: { MACHINE: 'here', LONGHAUL_TEST_DATABASE: cluster.database.url },
        })
      ).stdout;
    await expect.poll(doctor, { timeout: 40_000 }).toContain('1 session waits for a server on elsewhere');
    const worker = await cluster.add(['--role', 'worker'], elsewhere);
    await expect.poll(() => cluster.ownerOf(id), { timeout: 90_000 }).toBe(worker.running.child.pid);
    await expect(worker.call('GET', '/api/sessions')).rejects.toThrow(/only drives sessions/);
    expect(await (await fetch(`${worker.url}/readyz`)).json()).toMatchObject({
      machine: 'elsewhere',
      role: 'worker',
    });
  });
});
