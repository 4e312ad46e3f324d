import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FamilyExport } from '@longhaul/core';
import { childPlaceOf, type Session, subtaskOf, type ToolPart } from '@longhaul/protocol';
import type { ScriptedModelServerOptions } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

/** Plays a parent, its child and the child of that: the last one answers, and each of the others passes the answer on. */
const playThree: ScriptedModelServerOptions['script'] = ({ messages }) => {
  const asked = JSON.stringify(messages.find(({ role }) => role === 'user'));
  const hasResult = messages.some(({ role }) => role === 'tool');
  if (asked.includes('Look for it')) return 'The zebra parser is in parse.ts.';
  if (hasResult) return 'It is found.';
  const prompt = asked.includes('Delegate') ? 'Ask another one' : 'Look for it';
  return { toolCalls: [{ name: 'task', arguments: { prompt } }] };
};

interface Listed extends Pick<Session, 'id' | 'parentId' | 'title'> {
  member: { depth: number; agent: string };
}

async function benchWithThree() {
  const bench = await Bench.open();
  const { flags } = await bench.serve({ script: playThree });
  await bench.call(['run', 'Delegate the search', '--sandbox', 'local', ...flags]);
  const tree = async (): Promise<Listed[]> =>
    linesOf((await bench.call(['sessions', '--tree', '--json'])).stdout).map((line) => JSON.parse(line));
  const exported = async (id: string): Promise<FamilyExport> =>
    JSON.parse((await bench.call(['export', id])).stdout);
  const imported = async (whole: object | string) => {
    const text = typeof whole === 'string' ? whole : JSON.stringify(whole, null, 2);
    await writeFile(join(bench.workspace, 'family.json'), text);
    const { stdout, code } = await bench.call(['import', 'family.json', '--json']);
    return { code, file: JSON.parse(stdout) };
  };
  return { bench, tree, exported, imported, id: (await tree())[0]?.id ?? '' };
}

function callsOf({ messages }: FamilyExport): ToolPart[] {
  return messages.flatMap(({ parts }) => parts.filter((part): part is ToolPart => part.type === 'tool'));
}

describe('families in exports', () => {
  it('imports a family of depth 2 with new ids and the same places', async () => {
    const { bench, tree, exported, imported, id } = await benchWithThree();
    await using _bench = bench;
    const whole = await exported(id);
    expect(whole.children?.map(({ session }) => session.task)).toEqual(['Ask another one', 'Look for it']);
    const { code, file } = await imported(whole);
    expect(code).toBe(0);
    expect(file).toMatchObject({ type: 'imported', children: 2, skipped: [] });

    const all = await tree();
    const [copy, child, grandchild] = all;
    expect(all.map(({ title, member }) => [title, member.depth])).toEqual([
      ...['Delegate the search', 'Ask another one', 'Look for it'].map((title, depth) => [title, depth]),
      ...['Delegate the search', 'Ask another one', 'Look for it'].map((title, depth) => [title, depth]),
    ]);
    expect(new Set(all.map((each) => each.id)).size).toBe(6);
    expect([copy?.id, child?.parentId, grandchild?.parentId]).toEqual([file.sessionId, copy?.id, child?.id]);

    const again = await exported(file.sessionId);
    const log = [again, ...(again.children ?? [])];
    expect(log.map((each) => callsOf(each).map((call) => subtaskOf(call)?.sessionId))).toEqual([
      [child?.id],
      [grandchild?.id],
      [],
    ]);
    const before = [whole, ...(whole.children ?? [])];
    expect(log.map(({ session }) => childPlaceOf(session))).toEqual(
      before.map(({ session }) => childPlaceOf(session) && { ...childPlaceOf(session), isDelivered: true }),
    );
    expect(log.map(({ session }) => session.parentCallId)).toEqual(
      before.map(({ session }) => session.parentCallId),
    );
    expect((await bench.call(['show', file.sessionId])).stdout).toContain(
      `longhaul show ${child?.id.slice(0, 13)}`,
    );
  });

  it('leaves out the key of children if a session has none', async () => {
    const { bench, exported, id } = await benchWithThree();
    await using _bench = bench;
    const last = (await exported(id)).children?.at(-1);
    expect(last).not.toHaveProperty('children');
    expect(await exported(last?.session.id ?? '')).toEqual(last);
  });

  it('imports the parent without children that are damaged or foreign', async () => {
    const { bench, tree, exported, imported, id } = await benchWithThree();
    await using _bench = bench;
    const { children: [child, grandchild] = [], ...parent } = await exported(id);
    if (child === undefined || grandchild === undefined) throw new Error('The export has no children.');
    const empty = { ...child, messages: [] };
    for (const [bad, reason] of [
      [grandchild, 'child sessions that no call of their parent in the export has started'],
      [empty, 'child sessions without a readable message'],
      [{ format: 'longhaul-session' }, 'child sessions without a readable message'],
      [
        { ...child, session: { ...child.session, metadata: {} } },
        'child sessions with wrong or missing fields',
      ],
    ] as const) {
      const { code, file } = await imported({ ...parent, children: [bad] });
      expect([code, file.skipped]).toEqual([0, [{ where: 'children', reason, count: 1 }]]);
      expect((await exported(file.sessionId)).children).toBeUndefined();
    }
    const twice = await imported({ ...parent, children: [child, child, grandchild] });
    expect(twice.file).toMatchObject({ children: 2, skipped: [{ reason: 'duplicate child sessions' }] });
    expect(await tree()).toHaveLength(3 + 4 + 3);
  });

  it('imports the parent of an export that is cut off inside a child', async () => {
    const { bench, exported, imported, id } = await benchWithThree();
    await using _bench = bench;
    const text = JSON.stringify(await exported(id));
    const { messages } = await exported(id);
    for (const share of [0.02, 0.3, 0.6, 0.9]) {
      const start = text.indexOf('"children":[');
      const { code, file } = await imported(text.slice(0, start + Math.floor((text.length - start) * share)));
      expect([code, file.messages]).toEqual([0, messages.length]);
    }
  });

  it('names no child as running, and never starts one again', async () => {
    const { bench, exported, imported, id } = await benchWithThree();
    await using _bench = bench;
    const running = JSON.stringify(await exported(id)).replaceAll(
      /"agent":"general","state":"completed"/g,
      '"agent":"general","state":"running","isBackground":true',
    );
    const waiting = running.replaceAll('"isBackground":false', '"isBackground":true');
    const { file } = await imported(waiting);
    const copy = await exported(file.sessionId);
    expect(callsOf(copy).map((call) => subtaskOf(call)?.state)).toEqual(['interrupted']);
    expect(copy.children?.map(({ session }) => childPlaceOf(session))).toMatchObject([
      { isBackground: true, isDelivered: true },
      { isBackground: true, isDelivered: true },
    ]);
  });
});
