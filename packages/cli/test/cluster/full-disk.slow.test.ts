import { execFileSync } from 'node:child_process';
import { chmod, mkdtemp, open, rm, statfs } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres, isRequired, lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { startNodes, step } from './nodes.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const COUNT = 4;

const script = ({ messages }: { messages: readonly { role: string }[] }) => {
  const done = messages.filter(({ role }) => role === 'tool').length;
  return done < COUNT ? step('full', done + 1) : 'All done.';
};

it.skipIf(isMissing)(
  'a full disk of the database stops sessions, which continue when it has space again',
  { timeout: 200_000 },
  async ({ skip }) => {
    const disk = await mkdtemp(join(tmpdir(), 'longhaul-small-disk-'));
    if (!mounts(disk)) return lacks('mount', 'this user may not mount', skip);
    try {
      await chmod(disk, 0o777);
      await using cluster = await startNodes(
        1,
        { script, windowTokens: 64_000 },
        { database: { home: disk, isDurable: true } },
      );
      const [node] = cluster.nodes;
      if (node === undefined) throw new Error('No node.');
      const id = await cluster.newSession(node);
      await cluster.send(node, id, 'Write');
      await expect.poll(() => cluster.steps('full'), { timeout: 60_000 }).toContain('1');
      const filler = join(disk, 'filler');
      await fill(filler, disk);
      const refused = async () =>
        await node.call('POST', `/api/sessions/${id}/messages`, { content: 'x'.repeat(500_000) }).then(
          () => 'stored',
          (error: Error) => error.message,
        );
      await expect.poll(refused, { timeout: 60_000 }).toMatch(/50[37].*"store_(?:full|unavailable)"/);
      await rm(filler);
      // PostgreSQL ends if it cannot write its log.
      if (!cluster.database.isRunning) await cluster.database.start();
      await expect
        .poll(() => node.call('POST', `/api/sessions/${id}/resume`).then(() => '', String), {
          timeout: 60_000,
        })
        .toMatch(/^$|session_busy/);
      const events = await cluster.read(node, id);
      expect(events.at(-1)).toMatchObject({ text: 'All done.' });
      expect(new Set(await cluster.steps('full')).size).toBe(COUNT);
    } finally {
      execFileSync('umount', ['-l', disk]);
      await rm(disk, { recursive: true, force: true });
    }
  },
);

function mounts(folder: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=250m', 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

/** Takes all free space. */
async function fill(path: string, disk: string): Promise<void> {
  await using file = await open(path, 'w');
  const block = Buffer.alloc(1024 * 1024, 1);
  for (;;) {
    const { bavail, bsize } = await statfs(disk);
    if (bavail === 0) return;
    await file.write(block, 0, Math.min(block.length, bavail * bsize)).catch(() => undefined);
  }
}
