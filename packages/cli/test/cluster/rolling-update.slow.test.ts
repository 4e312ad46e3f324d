import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterEach, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };
const COUNT = 8;
/** Makes a server one of the next version. */
const NEWER = new URL('../../../storage/test/newer-program.ts', import.meta.url).href;

const script = ({ messages }: { messages: readonly { role: string }[] }) => {
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < COUNT ? step('work', done + 1) : 'All done.';
};

describe.skipIf(isMissing)('a server whose tables a newer one has changed', () => {
  let cluster: Nodes;
  afterEach(() => cluster[Symbol.asyncDispose]());

  /** Starts a session at an old server, and waits until it works. */
  async function begin(): Promise<{ old: Node; id: string }> {
    cluster = await startNodes(1, { script, windowTokens: 64_000 });
    const [old] = cluster.nodes;
    if (old === undefined) throw new Error('No node.');
    const id = await cluster.newSession(old);
    await cluster.send(old, id, 'Work');
    await expect.poll(() => cluster.steps('work'), { timeout: 60_000 }).toContain('2');
    return { old, id };
  }

  async function update(env: Record<string, string> = {}): Promise<Node> {
    return await cluster.add([], { env: { ...env, NODE_OPTIONS: `--import ${NEWER}` }, fromSource: true });
  }

  it('continues its sessions, and starts again, if it can use them', TIMEOUT, async () => {
    const { old, id } = await begin();
    const reading = cluster.read(old, id);
    const pid = await cluster.ownerOf(id);
    const newer = await update();
    expect((await reading).at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    expect(pid).toBe(old.running.child.pid);
    const owners = await cluster.database.query(`SELECT DISTINCT pid FROM longhaul.runs`);
    expect(owners).toBe(String(pid));
    expect((await fetch(`${old.url}/readyz`)).status).toBe(200);
    newer.running.child.kill('SIGTERM');
    await newer.running.ended;
    const again = await cluster.add();
    expect(await again.call('GET', `/api/sessions/${id}`)).toMatchObject({ state: 'completed' });
  });

  it('hands its sessions over and is not ready, if it cannot use them', TIMEOUT, async () => {
    const { old, id } = await begin();
    const newer = await update({ LONGHAUL_TEST_BREAKS: '1' });
    const events = await cluster.read(newer, id);
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'All done.' });
    expect(
      events.filter(({ type }) => type === 'run:finished').map((event) => 'status' in event && event.status),
    ).toEqual(['interrupted', 'completed']);
    const steps = await cluster.steps('work');
    // A call that was interrupted before its command began has had no effect.
    expect(new Set(steps).size).toBe(steps.length);
    const ready = await fetch(`${old.url}/readyz`);
    expect(ready.status).toBe(503);
    expect(await ready.json()).toMatchObject({ code: 'store_newer', checks: { store: { ok: false } } });
    await old.running.warned('older than the tables of its database');
    const refused = await fetch(`${old.url}/api/sessions/${id}/messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ content: 'More' }),
    });
    expect(refused.status).toBe(503);
    expect(await refused.text()).toMatch(/Retry with another server/);
    old.running.child.kill('SIGTERM');
    expect((await old.running.ended).code).toBe(0);
    const { code, stderr } = await cluster.bench.start(['serve', '--port', '0', '--no-token'], {
      env: { LONGHAUL_TEST_DATABASE: cluster.database.url },
    }).ended;
    expect(stderr).toMatch(/needs a program of version \d+ or newer/);
    expect(code).not.toBe(0);
  });
});
