import { chmod, readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';
import { PAGE, run } from './team-proxy.ts';

it('longhaul backup and restore bring back sessions, settings and keys, and doctor names files that others can read', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => 'All done.' });
  expect((await bench.run(['run', '-q', 'Go', ...flags])).code).toBe(0);
  expect((await bench.run(['login', 'openai', '--stdin'], { input: 'sk-test-0123456789\n' })).code).toBe(0);
  expect((await bench.run(['token', 'add', 'ci'])).code).toBe(0);
  const data = join(bench.home, '.local', 'share', 'longhaul');
  const config = join(bench.home, '.config', 'longhaul');
  const folder = join(bench.root, 'backup');
  const saved = await bench.run(['backup', folder]);
  expect([saved.code, saved.stderr]).toEqual([0, '']);
  expect(saved.stdout).toMatch(/^Saved in .* and verified: the database/);
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  const again = await bench.run(['backup', folder]);
  expect([again.code, again.stderr]).toEqual([2, expect.stringContaining('is not empty')]);

  const refused = await bench.run(['restore', folder]);
  expect([refused.code, refused.stderr]).toEqual([2, expect.stringContaining('would be overwritten')]);
  await rename(data, join(bench.root, 'old data'));
  await rename(config, join(bench.root, 'old config'));
  expect((await bench.run(['restore', folder, '--json'])).stdout).toContain('credentials.json');
  expect((await bench.run(['sessions', '--json'])).stdout).toContain('"task":"Go"');
  expect((await bench.run(['token', 'list', '--json'])).stdout).toContain('"ci"');
  expect(await readFile(join(config, 'credentials.json'), 'utf8')).toContain('sk-test-0123456789');
  for (const path of [join(data, 'longhaul.db'), join(config, 'credentials.json')]) {
    expect((await stat(path)).mode & 0o777).toBe(0o600);
  }

  const modes = async () => {
    const { stdout } = await bench.run(['doctor', '--json']);
    return stdout.split('\n').filter((line) => line.includes('"modes"'));
  };
  expect(await modes()).toEqual([]);
  await chmod(data, 0o755);
  await chmod(join(data, 'longhaul.db'), 0o644);
  expect(await modes()).toEqual([
    expect.stringContaining('other users of this machine can read longhaul.db'),
  ]);
});

it('docs/team.md says how to restore and roll back so that tokens keep working', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => 'All done.' });
  expect((await bench.run(['run', '-q', 'Go', ...flags])).code).toBe(0);
  expect((await bench.run(['token', 'add', 'ci'])).code).toBe(0);
  const folder = join(bench.root, 'backup');
  expect((await bench.run(['backup', folder])).code).toBe(0);
  expect((await bench.run(['run', '-q', 'Later', ...flags])).code).toBe(0);

  const page = await readFile(PAGE, 'utf8');
  const blocks = page.split('```').filter((each) => each.includes('longhaul restore'));
  expect(blocks).toHaveLength(2);
  for (const lines of blocks) {
    for (const line of lines.trim().split('\n').slice(1)) {
      if (/^(?:mkdir|mv) /.test(line)) {
        const done = run('sh', ['-ec', line.replaceAll('~longhaul', `'${bench.home}'`)]);
        expect(done).toEqual({ status: 0, said: '' });
      } else if (line.includes('longhaul restore')) {
        const rest = line.slice(line.indexOf('--'));
        expect((await bench.run(['restore', folder, rest])).stderr).toBe('');
      }
    }
    const sessions = (await bench.run(['sessions', '--json'])).stdout;
    expect([sessions.includes('"Go"'), sessions.includes('"Later"')]).toEqual([true, false]);
    expect((await bench.run(['token', 'list', '--json'])).stdout).toContain('"ci"');
  }
});
