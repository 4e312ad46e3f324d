import type { ScriptedModelServerOptions } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const FIND = 'Find the parser';

/** Plays a parent that gives one task to a child, and the child, which lists the folder before it answers. */
export const playFamily: ScriptedModelServerOptions['script'] = ({ messages }) => {
  const text = JSON.stringify(messages.filter(({ role }) => role !== 'system'));
  const hasResult = messages.some(({ role }) => role === 'tool');
  const isChild = !text.includes('Delegate');
  if (isChild)
    return hasResult
      ? 'The zebra parser is in parse.ts.'
      : { toolCalls: [{ name: 'list', arguments: { path: '.' } }] };
  return hasResult
    ? 'The child found it.'
    : { toolCalls: [{ name: 'task', arguments: { prompt: FIND, agent: 'explore' } }] };
};

export async function benchWithFamily(): Promise<{ bench: Bench; parent: string; child: string }> {
  const bench = await Bench.open();
  const { flags } = await bench.serve({ script: playFamily });
  await bench.call(['run', 'Delegate the search', '--sandbox', 'local', ...flags]);
  const ids = linesOf((await bench.call(['sessions', '--tree', '--json'])).stdout).map(
    (line) => JSON.parse(line).id as string,
  );
  return { bench, parent: ids[0] ?? '', child: ids[1] ?? '' };
}

describe('families in lists', () => {
  it('lists children only with --tree, below their parents', async () => {
    const { bench, parent, child } = await benchWithFamily();
    await using _bench = bench;
    const titlesOf = (stdout: string) => linesOf(stdout).map((line) => JSON.parse(line).title);
    expect(titlesOf((await bench.call(['sessions', '--json'])).stdout)).toEqual(['Delegate the search']);
    const table = linesOf((await bench.call(['sessions', '--tree'])).stdout);
    expect(table).toEqual([
      expect.stringContaining('work space'),
      expect.stringMatching(/^[0-9a-f-]{13} +just now {2}completed +coder · 2 steps {2}Delegate the search$/),
      expect.stringMatching(
        /^ {2}[0-9a-f-]{13} +just now {2}completed +explore · 2 steps {2}Find the parser$/,
      ),
    ]);
    const [, listed] = linesOf((await bench.call(['sessions', '--tree', '--json', '-n', '1'])).stdout);
    expect(JSON.parse(listed ?? '')).toMatchObject({
      id: child,
      parentId: parent,
      member: { depth: 1, agent: 'explore', steps: 2 },
    });
  });

  it('takes the newest parent as the last session, and still finds a child by its id', async () => {
    const { bench, parent, child } = await benchWithFamily();
    await using _bench = bench;
    const shown = async (id: string) => JSON.parse((await bench.call(['show', id, '--json'])).stdout);
    expect((await shown('last')).session.id).toBe(parent);
    expect((await shown(child)).session.id).toBe(child);
  });

  it('finds what a child has written, and names its parent', async () => {
    const { bench, parent, child } = await benchWithFamily();
    await using _bench = bench;
    const { stdout } = await bench.call(['search', 'zebra']);
    expect(stdout).toContain(`child of ${parent.slice(0, 13)} Delegate the search`);
    const hits = linesOf((await bench.call(['search', 'zebra', '--json'])).stdout).map((line) =>
      JSON.parse(line),
    );
    expect(hits).toContainEqual(expect.objectContaining({ sessionId: child, parentId: parent }));
  });
});

describe('families in longhaul show and run', () => {
  it('shows a child at its call, and its parent in the child', async () => {
    const { bench, parent, child } = await benchWithFamily();
    await using _bench = bench;
    const { stdout } = await bench.call(['show', parent]);
    expect(stdout).toMatch(/^own +2 steps · \S+ tokens\nchildren +1 session · 2 steps · \S+ tokens\n/m);
    expect(stdout).toMatch(
      new RegExp(
        `task +explore: Find the parser \\(2 steps, \\S+ tokens\\).*\\n +▸ completed · 2 steps · \\S+ tokens · longhaul show ${child.slice(0, 13)}\\n +The zebra parser`,
      ),
    );
    expect((await bench.call(['show', child])).stdout).toMatch(
      new RegExp(`^child of ${parent.slice(0, 13)}, call m2\\.0: Delegate the search$`, 'm'),
    );
    const { family } = JSON.parse((await bench.call(['show', parent, '--json'])).stdout);
    expect(family).toMatchObject({
      children: [{ id: child, state: 'completed', agent: 'explore', handle: 'm2.0', spent: { steps: 2 } }],
      spent: { steps: 2 },
      spentByChildren: { sessions: 1, steps: 2 },
    });
  });

  it('prints which child starts, the beginning of its answer, and what children have used', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: playFamily });
    const { stdout } = await bench.call(['run', 'Delegate the search', '--sandbox', 'local', ...flags]);
    expect(stdout).toContain('◇ child m2.0 started, explore: Find the parser\n');
    expect(stdout).toMatch(
      /✓ task +explore: Find the parser \(2 steps, \S+ tokens\).*\n +The zebra parser is/,
    );
    expect(stdout).toMatch(/^children +1 session, 2 steps, \S+ of the tokens$/m);
  });
});
