import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

const LOCAL = ['--sandbox', 'local', '--window', '16000', '--quiet'];

interface Folders {
  bench: Bench;
  flags: string[];
  /** Ids, by the folder in which each session works. */
  ids: { here: string; other: string };
  other: string;
}

/** A session of this folder, and a newer one of another folder. */
async function twoFolders(script: () => string = () => 'Done.'): Promise<Folders> {
  const bench = await Bench.open();
  const { flags } = await bench.serve({ script });
  const other = join(bench.root, "Anna's project");
  await mkdir(other);
  const idOf = async (folder: string) => {
    await bench.call(['run', `Task of ${folder}`, '-C', folder, ...LOCAL, ...flags]);
    const [line = ''] = linesOf((await bench.call(['sessions', '--json', '-C', folder])).stdout);
    return String(JSON.parse(line).id);
  };
  const ids = { here: await idOf(bench.workspace), other: await idOf(other) };
  return { bench, flags: [...LOCAL, ...flags], ids, other };
}

const CHANGING = [
  ['run', 'More', '--session'],
  ['resume'],
  ['run', '--resume', '--session'],
  ['fork'],
  ['compact'],
  ['undo'],
  ['cancel'],
  ['queue'],
  ['send'],
];

const TEXTS: Record<string, string[]> = { queue: ['add', "it's late"], send: ["it's late"] };

describe('sessions of several folders', () => {
  it('"last" is the newest session of this folder; --all looks in every folder', async () => {
    const { bench, ids, other, flags } = await twoFolders();
    await using _bench = bench;
    const idOf = async (...args: string[]) => JSON.parse((await bench.call(args)).stdout).session.id;
    expect(await idOf('show', 'last', '--json')).toBe(ids.here);
    expect(await idOf('export', 'last')).toBe(ids.here);
    expect(await idOf('show', 'last', '--json', '--all')).toBe(ids.other);
    expect(await idOf('show', 'last', '--json', '-C', other)).toBe(ids.other);
    await bench.call(['run', 'More', '--session', 'last', ...flags]);
    const lengthOf = async (id: string) =>
      JSON.parse((await bench.call(['export', id])).stdout).messages.length;
    expect([await lengthOf(ids.here), await lengthOf(ids.other)]).toEqual([4, 2]);
  });

  it('a command that changes a session of another folder is refused, and names the command that does it', async () => {
    const { bench, ids, other, flags } = await twoFolders();
    await using _bench = bench;
    for (const words of CHANGING) {
      const args = [...words, ids.other, ...(TEXTS[words[0] ?? ''] ?? [])];
      const refused = await bench.call(args);
      expect(refused).toMatchObject({ code: 2, stdout: '' });
      expect(refused.stderr).toContain(
        `works in ${other}, not in ${bench.workspace}. To use it there: longhaul ${words[0]} `,
      );
      expect(refused.stderr).toContain(` -C '${other.replace("'", "'\\''")}'\n`);
    }
    const queued = await bench.call(['queue', ids.other, 'add', "it's late"]);
    expect(queued.stderr).toContain(`add 'it'\\''s late' -C`);
    expect((await bench.call(['sessions', '-C', other])).stdout).not.toContain('waiting');
    await bench.call(['queue', ids.other, 'add', 'Later', '-C', other]);
    expect((await bench.call(['sessions', '-C', other])).stdout).toContain('waiting');
    expect(await bench.call(['fork', ids.other, '-C', other])).toMatchObject({ code: 0, stderr: '' });
    const sent = await bench.call(['run', 'More', '--session', ids.other, '--all', ...flags]);
    expect(sent).toMatchObject({ code: 0, stderr: '', stdout: 'Done.\n' });
  });

  it('names --all if the folder of the session is gone', async () => {
    const { bench, ids, other } = await twoFolders();
    await using _bench = bench;
    await rm(other, { recursive: true });
    expect((await bench.call(['undo', ids.other])).stderr).toContain(`longhaul undo ${ids.other} --all\n`);
  });

  it('a command that only reads accepts the id of a session of another folder', async () => {
    const { bench, ids } = await twoFolders();
    await using _bench = bench;
    for (const args of [
      ['show', ids.other],
      ['export', ids.other],
      ['context', ids.other],
      ['queue', ids.other],
      ['search', 'task', '--session', ids.other],
    ])
      expect(await bench.call(args)).toMatchObject({ code: 0, stderr: '' });
  });

  it('asks at a terminal before it works in another folder', async () => {
    const { bench, ids, other, flags } = await twoFolders();
    await using _bench = bench;
    for (const [answer, code] of [
      ['n', 130],
      ['y', 0],
    ] as const) {
      const running = bench.start(['run', 'More', '--session', ids.other, ...flags], { terminal: true });
      await running.saw('[y/N]');
      expect(running.output().replaceAll(/\s+/g, ' ')).toContain(`works in ${other}, not in`);
      running.child.stdin?.write(`${answer}\r`);
      expect((await running.ended).code).toBe(code);
    }
  });

  it('longhaul sessions lists this folder, under its name; --all lists every folder', async () => {
    const { bench, other } = await twoFolders();
    await using _bench = bench;
    const table = async (...args: string[]) => linesOf((await bench.call(['sessions', ...args])).stdout);
    expect(await table()).toEqual([bench.workspace, expect.stringContaining('Task of')]);
    const all = await table('--all');
    expect(all.filter((_, index) => index % 2 === 0)).toEqual([other, bench.workspace]);
    expect(await table('--all', '--json', '-n', '1')).toHaveLength(1);
    const third = join(bench.root, 'third');
    await mkdir(third);
    expect((await table('-C', third)).join(' ')).toMatch(/^No sessions in .*third yet\. .*--all lists/);
    const last = await bench.call(['show', 'last', '-C', third]);
    expect(last).toMatchObject({ code: 1, stderr: expect.stringMatching(/No session works in .*third yet/) });
  });

  it('a git repository is one workspace, without the repositories in it', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Done.' });
    const inner = join(bench.workspace, 'vendor', 'inner');
    await mkdir(join(bench.workspace, '.git'));
    await mkdir(join(bench.workspace, 'src'));
    await mkdir(join(inner, '.git'), { recursive: true });
    for (const folder of ['src', inner]) await bench.call(['run', folder, '-C', folder, ...LOCAL, ...flags]);
    const titles = async (folder: string) =>
      linesOf((await bench.call(['sessions', '--json', '-C', folder])).stdout).map(
        (line) => JSON.parse(line).task,
      );
    expect(await titles('.')).toEqual(['src']);
    expect(await titles('src')).toEqual(['src']);
    expect(await titles(inner)).toEqual([inner]);
    expect(await titles('vendor')).toEqual(['src']);
  });
});

describe('longhaul resume without an id', () => {
  it('resumes the newest session of this workspace that can be resumed, and names it', async () => {
    await using bench = await Bench.open();
    const fails = { kind: 'status' as const, status: 400 };
    const { flags } = await bench.serve({
      script: ({ number }) => (number === 1 ? { text: '', fault: fails } : `Answer ${number}.`),
    });
    const local = [...LOCAL, ...flags];
    const failed = await bench.call(['run', 'First', ...local]);
    expect(failed.code).toBe(1);
    const [, command = ''] = /^To resume: (longhaul resume .*)$/m.exec(failed.stderr) ?? [];
    expect(command).toMatch(/^longhaul resume [\w-]{13} --sandbox local --window 16000$/);
    await bench.call(['run', 'Second', ...local]);
    const resumed = await bench.call(['resume', '--quiet', '--sandbox', 'local', '--window', '16000']);
    expect(resumed).toMatchObject({ code: 0, stdout: 'Answer 3.\n' });
    expect(resumed.stderr).toMatch(/^Resuming [\w-]{13} "First": failed, last used just now\.\n/);
    const again = await bench.call(['resume']);
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('Nothing to resume') });
    expect((await bench.call(['run', '--resume', '--json'])).stdout).toBe('{"status":"nothing"}\n');
    const none = await bench.call(['resume', '-C', bench.home]);
    expect(none).toMatchObject({ code: 1, stderr: expect.stringContaining('--all') });
  });

  it('the summary of a stopped run ends with the command that resumes it, in any folder', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: () => ({ toolCalls: [{ name: 'list', arguments: { path: '.' } }] }),
    });
    const other = join(bench.root, 'other folder');
    await mkdir(other);
    const limits = ['--max-steps', '1', '--sandbox', 'local', '--window', '16000'];
    const stopped = await bench.call(['run', 'List', '-C', other, ...limits, ...flags]);
    expect(stopped.code).toBe(3);
    const [, command = ''] = /\nresume +(longhaul resume .*)\n$/.exec(stopped.stdout) ?? [];
    expect(command).toContain(` -C '${other}' `);
    const words = command.split(' ').slice(1);
    const again = await bench.call([...words.slice(0, 2), '-C', other, ...limits]);
    expect(again).toMatchObject({ code: 3, stderr: '' });
  });
});
