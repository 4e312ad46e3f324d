import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { readFixture } from '../../test/support.ts';
import { findSessionFiles } from '../backtest/find-session-files.ts';
import { loadSession } from '../backtest/load-session.ts';
import { sessionPaths } from './session-source.ts';

let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-parts-'));
  for (const name of ['aider.md', 'openhands-three-sessions.jsonl', 'claude-code.jsonl', 'specstory.md'])
    await writeFile(join(folder, name), readFixture(name));
  await writeFile(join(folder, 'README.md'), '# A project\n\n#### A heading\n');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

async function textsOf(name: string): Promise<string[]> {
  const paths = await sessionPaths(join(folder, name));
  const sessions = await Promise.all(paths.map((path) => loadSession(path)));
  return sessions.map(({ messages = [] }) => {
    const [part] = messages[0]?.parts ?? [];
    return part?.type === 'text' ? part.text : '';
  });
}

describe('a file with several sessions', () => {
  test('has one path for each document, one below the other', async () => {
    expect(await textsOf('openhands-three-sessions.jsonl')).toEqual([
      'Fix the tax 1.',
      'Fix the tax 2.',
      'Fix the tax 3.',
    ]);
  });

  test('has one path for each session of Aider that has an answer', async () => {
    expect(await textsOf('aider.md')).toEqual(['Fix the tax.\nThe rate is 19 %.', 'Is it done?']);
  });

  test('is split where documents with several lines end, not at elements of their lists', async () => {
    const session = (task: string) =>
      JSON.stringify(
        [
          { role: 'user', content: task },
          { role: 'assistant', content: 'Yes.' },
        ],
        undefined,
        0,
      );
    const document = (task: string) => `{"messages":\n${session(task).replaceAll('},{', '},\n{')}\n}\n`;
    await writeFile(join(folder, 'two.json'), document('One.') + document('Two.'));
    expect(await textsOf('two.json')).toEqual(['One.', 'Two.']);
  });

  test('is a list of sessions in a folder, with the Markdown files that are sessions', async () => {
    const { files, leftAside } = await findSessionFiles([folder]);
    const names = files.map(({ path }) => path.slice(folder.length + 1));
    expect(names.filter((name) => name !== 'two.json#1' && name !== 'two.json#2')).toEqual([
      'aider.md#1',
      'aider.md#2',
      'claude-code.jsonl',
      'openhands-three-sessions.jsonl#1',
      'openhands-three-sessions.jsonl#2',
      'openhands-three-sessions.jsonl#3',
      'specstory.md',
    ]);
    expect(leftAside).toBe(1);
  });

  test('can be named with the number of one session', async () => {
    const path = join(folder, 'openhands-three-sessions.jsonl#2');
    expect((await findSessionFiles([path])).files.map((file) => file.path)).toEqual([path]);
    const missing = await loadSession(join(folder, 'openhands-three-sessions.jsonl#4'));
    expect(missing.problem).toBe('does not exist');
  });
});
