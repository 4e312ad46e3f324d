import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { expect, it } from 'vitest';
import { collectAside } from './collect-aside.ts';

const program = fileURLToPath(new URL('../../bin/longhaul.js', import.meta.url));

it('deletes sessions that are older than storage.retention, in another process', async () => {
  const home = await mkdtemp(join(tmpdir(), 'longhaul-gc-'));
  try {
    const path = join(home, 'longhaul.db');
    await using store = await openSqliteStore({ path, now: () => 1_000 });
    const session = {
      task: 'Old',
      title: 'Old',
      model: 'scripted/one',
      workspace: '/work',
      createdAt: 1_000,
    };
    await store.createSession({ ...session, id: 'old' });
    const config = join(home, 'longhaul.yml');
    await writeFile(config, `storage: { url: "sqlite:${path}", retention: { days: 30 } }\n`);
    const env = { ...process.env, HOME: home, XDG_CONFIG_HOME: '' };
    const report = await collectAside(['--config', config, '-C', home], { program, env });
    expect(report).toEqual({ sessions: 1, backups: 0 });
    expect(await store.getSession('old')).toBeUndefined();
  } finally {
    await rm(home, { recursive: true, force: true });
  }
});
