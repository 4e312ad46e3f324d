import type { LonghaulEvent } from '@longhaul/protocol';
import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };
const ANSWER = Array.from({ length: 300 }, (_, index) => `word${index}`).join(' ');

/** What a client shows of each message: the pieces must join without a gap, and none may come twice. */
function textsOf(events: readonly LonghaulEvent[]): Map<string, string> {
  const texts = new Map<string, string>();
  for (const event of events) {
    if (event.type !== 'llm:chunk') continue;
    const text = texts.get(event.messageId) ?? '';
    expect(event.offset).toBe(text.length);
    texts.set(event.messageId, text + event.content);
  }
  return texts;
}

describe.skipIf(isMissing)('readers of a session that another server drives', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(
      3,
      { script: () => ANSWER, windowTokens: 64_000, chunkChars: 8, chunkDelayMs: 25 },
      { config: 'cluster: { secret: the-secret-of-this-test }\n' },
    );
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const living = () =>
    cluster.nodes.filter(({ running: { child } }) => child.exitCode === null && !child.killed);

  async function writing(): Promise<{ id: string; owner: Node; others: Node[] }> {
    const [first] = living();
    if (first === undefined) throw new Error('No node is left.');
    const id = await cluster.newSession(first);
    await cluster.send(first, id, 'Write');
    await expect.poll(() => cluster.ownerOf(id), { timeout: 90_000 }).toBeDefined();
    const pid = await cluster.ownerOf(id);
    const owner = living().find(({ running }) => running.child.pid === pid);
    if (owner === undefined) throw new Error(`No node is the process ${pid}.`);
    return { id, owner, others: living().filter((node) => node !== owner) };
  }

  it('get each piece of its text from that server, once', TIMEOUT, async () => {
    const { id, owner, others } = await writing();
    const reading = Promise.all([owner, ...others].map((node) => cluster.read(node, id)));
    for (const node of others) {
      const metrics = async () => await (await fetch(`${node.url}/metrics`)).text();
      await expect.poll(metrics, { timeout: 10_000 }).toContain('longhaul_cluster_streams 1');
    }
    for (const events of await reading) expect([...textsOf(events).values()]).toEqual([ANSWER]);
  });

  it('get the stored text when that server dies, and then that of the next one', TIMEOUT, async () => {
    const { id, owner, others } = await writing();
    const reading = others.map((node) => cluster.read(node, id));
    await expect
      .poll(() =>
        cluster.database.query(`SELECT count(*) FROM longhaul.part_chunks WHERE session_id = '${id}'`),
      )
      .not.toBe('0');
    owner.running.child.kill('SIGKILL');
    for (const events of await Promise.all(reading)) {
      const numbers = events.flatMap(({ number }) => number ?? []);
      expect(numbers).toEqual(numbers.map((_, index) => index + 1));
      const texts = [...textsOf(events).values()];
      expect(texts.at(-1)).toBe(ANSWER);
      expect(texts.length).toBeGreaterThan(1);
    }
  });

  it('are refused without the secret', TIMEOUT, async () => {
    const [node] = living();
    const at = (authorization?: string) =>
      fetch(`${node?.url}/cluster/sessions/any/events`, { headers: authorization ? { authorization } : {} });
    expect((await at()).status).toBe(401);
    expect((await at('Bearer the-secret-of-another')).status).toBe(401);
  });
});
