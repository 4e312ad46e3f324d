import { execFileSync } from 'node:child_process';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LonghaulEvent } from '@longhaul/protocol';
import { findPostgres, isRequired } from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Node, type Nodes, startNodes } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const TIMEOUT = { timeout: 300_000 };

/** Writes a file in each step. The third step takes until it is ended. */
const script = ({ messages }: { messages: readonly { role: string; content?: unknown }[] }) => {
  const done = messages.filter(({ role }) => role === 'tool').length;
  const isParent = JSON.stringify(messages).includes('Delegate');
  if (isParent)
    return done === 0
      ? { toolCalls: [{ name: 'task', arguments: { prompt: 'Part one', files: 'own' } }] }
      : 'Delegated.';
  if (/Finish|continues on another machine/.test(JSON.stringify(messages))) return 'Arrived.';
  const command = done < 2 ? `echo ${done} > step${done}.txt` : 'echo lost > lost.txt; sleep 600';
  return { toolCalls: [{ name: 'bash', arguments: { command } }] };
};

describe.skipIf(isMissing)('a session with a folder of its own', () => {
  let cluster: Nodes;
  beforeAll(async () => {
    cluster = await startNodes(
      1,
      { script, windowTokens: 64_000 },
      {
        config:
          'approvals: [{ tool: "*", action: allow }]\ngit: { local: true }\ncluster: { machine: $MACHINE }\n',
        env: { MACHINE: 'first' },
      },
    );
  }, 240_000);
  afterAll(() => cluster[Symbol.asyncDispose]());

  async function lost(node: Node, workspace: object): Promise<{ id: string; folder: string }> {
    const session = await node.call<{ id: string; workspace: string }>('POST', '/api/sessions', {
      workspace,
    });
    await cluster.send(node, session.id, 'Begin');
    await expect
      .poll(() => readFile(join(session.workspace, 'lost.txt'), 'utf8').catch(() => ''), { timeout: 90_000 })
      .toBe('lost\n');
    return { id: session.id, folder: session.workspace };
  }

  const warnings = (events: readonly LonghaulEvent[]) =>
    events.flatMap((event) => (event.type === 'context:warning' ? [event.message] : [])).join('\n');

  it('continues on another machine with its recorded files, and names what was lost', TIMEOUT, async () => {
    const { bench } = cluster;
    const repository = join(bench.root, 'project');
    await mkdir(repository);
    await writeFile(join(repository, 'a.txt'), 'of the repository\n');
    const git = (...args: string[]) =>
      execFileSync('git', ['-C', repository, '-c', 'user.name=t', '-c', 'user.email=t@example.org', ...args]);
    git('init', '-q', '-b', 'trunk');
    git('add', '.');
    git('commit', '-q', '-m', 'first');
    await writeFile(join(bench.workspace, 'copied.txt'), 'copied\n');

    const [first] = cluster.nodes as [Node];
    const cloned = await lost(first, { git: repository, ref: 'trunk' });
    const copied = await lost(first, { copyOf: '.' });
    first.running.child.kill('SIGKILL');
    await first.running.ended;
    // The other machine has no file of the first one, except for what all share.
    await rm(join(bench.home, '.local', 'share', 'longhaul', 'postgres', 'copies'), { recursive: true });
    const second = await cluster.add(undefined, { env: { MACHINE: 'second' } });

    for (const [{ id, folder }, name] of [
      [cloned, 'a.txt'],
      [copied, 'copied.txt'],
    ] as const) {
      const events = await cluster.read(second, id);
      expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'Arrived.' });
      expect(warnings(events)).toMatch(/moved to another machine.*\n.*Lost are[\s\S]*lost\.txt/);
      expect(await readFile(join(folder, 'step1.txt'), 'utf8')).toBe('1\n');
      expect(await readFile(join(folder, name), 'utf8')).not.toBe('');
      await expect(readFile(join(folder, 'lost.txt'))).rejects.toMatchObject({ code: 'ENOENT' });
    }
    const log = execFileSync('git', ['-C', cloned.folder, 'log', '--format=%s'], { encoding: 'utf8' });
    expect(log).toBe('first\n');
  });

  it('is driven on the machine with its folder first, and elsewhere if that is gone', TIMEOUT, async () => {
    const second = cluster.nodes.at(-1) as Node;
    const { id } = await second.call<{ id: string }>('POST', '/api/sessions', {
      workspace: { copyOf: null },
    });
    const queues = () =>
      cluster.database.query(
        `SELECT string_agg(name, ' ' ORDER BY created_on) FROM longhaul_jobs.job WHERE singleton_key = '${id}'`,
      );
    const after = (events: readonly LonghaulEvent[]) => events.at(-1)?.number;
    await cluster.send(second, id, 'Finish');
    const events = await cluster.read(second, id);
    expect(await queues()).toBe('any/machine/sessions');
    const third = await cluster.add(undefined, { env: { MACHINE: 'third' } });
    // It can take no job now, however long the other one needs.
    third.running.child.kill('SIGSTOP');
    await cluster.send(second, id, 'Finish');
    const more = await cluster.read(second, id, after(events));
    expect(await queues()).toBe('any/machine/sessions second/sessions');
    third.running.child.kill('SIGCONT');
    second.running.child.kill('SIGKILL');
    await second.running.ended;
    await cluster.send(third, id, 'Finish');
    expect((await cluster.read(third, id, after(more))).at(-1)).toMatchObject({ status: 'completed' });
  });

  it('takes the copy of a child along to another machine', TIMEOUT, async () => {
    const begun = await cluster.add(undefined, { env: { MACHINE: 'fourth' } });
    for (const { running } of cluster.nodes.slice(0, -1)) running.child.kill('SIGKILL');
    const { id } = await begun.call<{ id: string }>('POST', '/api/sessions', { workspace: { copyOf: null } });
    await cluster.send(begun, id, 'Delegate');
    const childOf = async (node: Node) =>
      (
        await node.call<{ sessions: { id: string; workspace: string }[] }>(
          'GET',
          `/api/sessions?parent=${id}`,
        )
      ).sessions[0];
    const written = async () => {
      const child = await childOf(begun);
      return await readFile(join(child?.workspace ?? '', 'lost.txt'), 'utf8').catch(() => '');
    };
    await expect.poll(written, { timeout: 60_000 }).toBe('lost\n');
    begun.running.child.kill('SIGKILL');
    await begun.running.ended;
    await rm(join(cluster.bench.home, '.local', 'share', 'longhaul', 'postgres', 'copies'), {
      recursive: true,
    });
    const last = await cluster.add(undefined, { env: { MACHINE: 'fifth' } });
    expect((await cluster.read(last, id)).at(-1)).toMatchObject({ status: 'completed', text: 'Delegated.' });
    const child = await childOf(last);
    expect(await readFile(join(child?.workspace ?? '', 'step1.txt'), 'utf8')).toBe('1\n');
    const events = await cluster.read(last, child?.id ?? '');
    expect(events.at(-1)).toMatchObject({ status: 'completed', text: 'Arrived.' });
    expect(warnings(events)).toMatch(/moved to another machine.*\n.*Lost are[\s\S]*lost\.txt/);
  });

  it('is refused for repositories that the server may not clone', TIMEOUT, async () => {
    const node = cluster.nodes.at(-1) as Node;
    const create = (workspace: object) => node.call('POST', '/api/sessions', { workspace });
    await expect(create({ git: 'https://user:secret-word@example.org/a' })).rejects.toThrow(
      /400(?!.*secret-word).*without a password/,
    );
    await expect(create({ git: 'ext::sh -c id' })).rejects.toThrow(/400/);
    await expect(create({ git: 'https://internal.example.org/a' })).rejects.toThrow(/403.*git\.hosts/);
    await expect(create({ git: '/srv/a', ref: '--upload-pack=id' })).rejects.toThrow(
      /400.*no name of a branch/,
    );
    await expect(create({ copyOf: '/etc' })).rejects.toThrow(/403/);
  });
});
