import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };

/** A session holds its place until a file exists, or asks a person, or answers at once. */
const script = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const task = JSON.stringify(messages.findLast(({ role }) => role === 'user'));
  const isDone = messages.at(-1)?.role === 'tool';
  if (isDone || task.includes('Answer')) return 'All done.';
  if (task.includes('Ask')) return { toolCalls: [{ name: 'write', arguments: { path: 'a', content: 'b' } }] };
  const command = 'until [ -e go ]; do sleep 0.1; done';
  return { toolCalls: [{ name: 'bash', arguments: { command } }] };
};

/** Reads events until one reports a position. */
async function firstWaiting({ url }: Node, id: string): Promise<string> {
  const { body } = await fetch(`${url}/api/sessions/${id}/events`);
  let text = '';
  for await (const piece of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    text += piece;
    const found = /^data:.*run:waiting.*$/m.exec(text);
    if (found !== null) return found[0];
  }
  throw new Error('The stream ended.');
}

describe.skipIf(isMissing)('sessions that wait for a place of any server', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    const config =
      'approvals: [{ tool: "*", action: allow }, { tool: write, action: ask }]\nserver: { maxRuns: 1 }\n';
    cluster = await startNodes(2, { script, windowTokens: 64_000 }, { config });
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  const node = (index: number): Node => {
    const found = cluster.nodes[index];
    if (found === undefined) throw new Error(`No node ${index}.`);
    return found;
  };
  const stateOf = async (id: string) =>
    (await node(1).call<{ state: string }>('GET', `/api/sessions/${id}`)).state;

  async function begin(task: string, priority = 'normal'): Promise<string> {
    const { id } = await node(0).call<{ id: string }>('POST', '/api/sessions', { priority });
    await cluster.send(node(0), id, task);
    return id;
  }

  it('give their places to others while people have to approve calls', TIMEOUT, async () => {
    const asking = [await begin('Ask'), await begin('Ask')];
    for (const id of asking)
      await expect
        .poll(() => node(1).call('GET', `/api/sessions/${id}/approvals`), { timeout: 90_000 })
        .toMatchObject({ approvals: [{}] });
    const other = await begin('Answer');
    expect((await cluster.read(node(1), other)).at(-1)).toMatchObject({ status: 'completed' });
    for (const id of asking) await node(1).call('POST', `/api/sessions/${id}/cancel`, {});
    for (const id of asking) await expect.poll(() => stateOf(id), { timeout: 90_000 }).toBe('cancelled');
  });

  it('begin in order of their priority, and report their positions', TIMEOUT, async () => {
    const holding = [await begin('Hold'), await begin('Hold')];
    for (const id of holding) await expect.poll(() => stateOf(id), { timeout: 90_000 }).toBe('running');
    const low = await begin('Answer', 'low');
    const normal = await begin('Answer');
    const high = await begin('Answer', 'low');
    await node(1).call('PATCH', `/api/sessions/${high}`, { priority: 'high' });
    const reading = cluster.read(node(1), low);
    const positionOf = async (id: string) =>
      (await node(1).call<{ waiting?: { position: number } }>('GET', `/api/sessions/${id}`)).waiting
        ?.position;
    const positions = async () => [await positionOf(high), await positionOf(normal), await positionOf(low)];
    await expect.poll(positions, { timeout: 90_000 }).toEqual([1, 2, 3]);
    const { sessions } = await node(1).call<{ sessions: { state: string }[] }>('GET', '/api/sessions');
    expect(sessions.filter(({ state }) => state === 'waiting')).toHaveLength(3);
    const metrics = async () => await (await fetch(`${node(1).url}/metrics`)).text();
    await expect.poll(metrics, { timeout: 90_000 }).toContain('longhaul_machine_sessions{state="waiting"} 3');
    expect(await firstWaiting(node(1), low)).toContain('"position":3');
    await writeFile(join(cluster.bench.workspace, 'go'), '');
    expect((await reading).at(-1)).toMatchObject({ status: 'completed' });
    const started = await cluster.database.query(
      'SELECT session_id FROM longhaul.runs ORDER BY key DESC LIMIT 3',
    );
    expect(started.split('\n')[0]).toBe(low);
    expect(new Set(started.split('\n'))).toEqual(new Set([low, normal, high]));
  });
});
