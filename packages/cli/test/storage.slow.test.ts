import { execFileSync } from 'node:child_process';
import { mkdir, readdir, readFile, rm, stat, truncate, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Bench, type Ended, linesOf } from './harness.ts';
import { lacks } from './machine.ts';

function databaseOf({ home }: Bench): string {
  return join(home, '.local', 'share', 'longhaul', 'longhaul.db');
}

/** One session, whose command's whole output is a blob. */
async function withSession(bench: Bench): Promise<string[]> {
  const { flags } = await bench.serve({
    windowTokens: 64_000,
    script: ({ number }) =>
      number === 1
        ? { text: 'Counting.', toolCalls: [{ name: 'bash', arguments: { command: 'seq 1 60000' } }] }
        : 'Counted.',
  });
  const args = ['--sandbox', 'local', ...flags];
  expect((await bench.run(['run', 'Count', ...args])).code).toBe(0);
  return args;
}

function expectPlainRefusal(ended: Ended, says: RegExp): void {
  expect(ended.stderr + ended.stdout).toMatch(says);
  expect(ended.stderr).not.toMatch(/\n\s+at |node:internal|file:\/\//);
  expect(ended.code).toBe(1);
}

describe('longhaul gc', () => {
  it('deletes no recent blobs, and deletes sessions only if the user agrees', async () => {
    await using bench = await Bench.open();
    await withSession(bench);
    const database = databaseOf(bench);
    const nobodys = join(dirname(database), 'blobs', 'ab', 'c'.repeat(62));
    await mkdir(dirname(nobodys), { recursive: true });
    await writeFile(nobodys, 'x'.repeat(5000));
    await utimes(nobodys, 1, 1);
    expect((await bench.call(['gc', '--dry-run'])).stdout).toMatch(
      /1 blob that no session names \(5\.0 kB\) would be removed/,
    );
    expect((await bench.call(['gc'])).stdout).toMatch(
      /Removed: 1 blob that no session names \(5\.0 kB\)\.\nFreed/,
    );
    await expect(stat(nobodys)).rejects.toThrow('ENOENT');

    const young = await bench.call(['gc', '--max-size', '1kB', '--dry-run']);
    expect(young.stdout).toMatch(/These are kept:\n.*Count +used within the last hour/);
    const edit = new DatabaseSync(database);
    edit.exec('UPDATE heads SET updated_at = 1');
    edit.close();
    const asked = await bench.call(['gc', '--older-than', '30d']);
    expect(asked.stderr).toMatch(/Remove 1 session permanently\? There is no terminal to ask on: add --yes/);
    expect(asked.code).toBe(2);
    expect((await bench.call(['sessions'])).stdout).toContain('Count');
    await writeFile(bench.userFile, 'storage: { retention: { days: 30 } }\n');
    const dropped = await bench.call(['gc', '--yes', '--json']);
    expect(JSON.parse(dropped.stdout)).toMatchObject({ sessions: [expect.any(String)], kept: [] });
  });
});

describe('a damaged database', () => {
  it('stops only commands that need it, which name it, and is repaired on request', async () => {
    await using bench = await Bench.open();
    const args = await withSession(bench);
    const database = databaseOf(bench);
    await truncate(database, Math.floor(((await stat(database)).size * 0.8) / 4096) * 4096);
    const damaged = await readFile(database);
    expect((await bench.call(['--help'])).code).toBe(0);
    const config = await bench.call(['config']);
    expect(config.stdout).toMatch(/^# Changes over the API are not shown: .*longhaul\.db is damaged/m);
    expect(config.code).toBe(0);
    const doctor = await bench.call(['doctor']);
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /✗ database .*longhaul\.db is damaged: .*longhaul repair saves what can be read/,
    );
    for (const command of [['sessions'], ['run', 'Again', ...args]]) {
      expectPlainRefusal(
        await bench.call(command),
        /longhaul\.db is damaged.*longhaul doctor.*longhaul repair/s,
      );
    }
    expect(await readFile(database)).toEqual(damaged);
    expect((await bench.call(['repair'])).code).toBe(2);
    expect(await readFile(database)).toEqual(damaged);
    const repaired = await bench.call(['repair', '--yes']);
    expect(repaired.stdout).toMatch(/messages +\d+ saved/);
    // Whether the missing pages held rows or only free space depends on the session's size.
    const lostRows = /saved, [1-9]\d* lost/.test(repaired.stdout);
    expect(repaired.stdout.includes('Lost or changed:')).toBe(lostRows);
    expect(repaired.code).toBe(lostRows ? 1 : 0);
    const aside = (await readdir(dirname(database))).filter((name) => /\.damaged-[^.]*Z$/.test(name));
    expect(aside).toHaveLength(1);
    expect(await readFile(join(dirname(database), aside[0] ?? ''))).toEqual(damaged);
    expect((await bench.call(['repair'])).stdout).toMatch(/is sound\. There\s+is nothing to repair/);
    expect((await bench.run(['run', 'Again', ...args])).code).toBe(0);
  });

  it('without readable content is renamed on request only', async () => {
    await using bench = await Bench.open();
    const database = databaseOf(bench);
    await mkdir(dirname(database), { recursive: true });
    await writeFile(database, 'Dear diary. '.repeat(1000));
    const repaired = await bench.call(['repair', '--yes']);
    expect(repaired.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /Nothing could be read, and nothing was renamed.*--move-aside/,
    );
    expect(repaired.code).toBe(1);
    expect(await readFile(database, 'utf8')).toMatch(/^Dear diary/);
    expect((await bench.call(['repair', '--move-aside', '--yes'])).stdout).toMatch(
      /The next run starts with a new\s+database/,
    );
    expect((await bench.call(['sessions'])).code).toBe(0);
  });

  it('reports a folder in its place, a newer version and an empty file', async () => {
    await using bench = await Bench.open();
    const place = (name: string) => writeFile(bench.userFile, `storage: { url: "sqlite:${name}" }\n`);
    await place(bench.home);
    expectPlainRefusal(await bench.call(['sessions']), /could not be opened.*storage\.url/s);
    expect((await bench.call(['doctor'])).stdout).toMatch(/✗ database .* is a folder/);
    const newer = join(bench.home, 'newer.db');
    await place(newer);
    await writeFile(newer, '');
    expectPlainRefusal(await bench.call(['sessions']), /newer\.db is empty \(0 bytes\).*backup/s);
    expect((await bench.call(['doctor'])).stdout).toMatch(/✗ database .*newer\.db.*is empty/s);
    await rm(newer);
    expect((await bench.call(['sessions'])).code).toBe(0);
    const database = new DatabaseSync(newer);
    database.exec('PRAGMA user_version = 99');
    database.close();
    for (const command of ['sessions', 'repair']) {
      expectPlainRefusal(
        await bench.call([command]),
        /newer\.db has version 99; this program supports versions up to \d/,
      );
    }
  });
});

describe('what happens to a database under a running agent', () => {
  it('ends the run with a report if the database is deleted', async () => {
    await using bench = await Bench.open();
    const database = databaseOf(bench);
    const { flags } = await bench.serve({
      script: ({ number }) => ({
        text: `Step ${number}.`,
        toolCalls: [{ name: 'bash', arguments: { command: `sleep 0.2 # ${number}` } }],
      }),
    });
    const run = bench.start(['run', 'Work', '--sandbox', 'local', '--max-steps', '200', ...flags]);
    await run.saw('Step 2.');
    for (const suffix of ['', '-wal', '-shm']) await rm(database + suffix, { force: true });
    const ended = await run.ended;
    expect(ended.code).toBe(1);
    expect((ended.stdout + ended.stderr).replaceAll(/\s+/g, ' ')).toMatch(
      /longhaul\.db was deleted or moved while it was in use/,
    );
    expect(ended.stderr).not.toMatch(/\n\s+at /);
    await expect(stat(database)).rejects.toThrow('ENOENT');
  });

  it('ends the run with a report on a full disk, and the session continues once there is room', async ({
    skip,
  }) => {
    await using bench = await Bench.open();
    const disk = join(bench.root, 'disk');
    await mkdir(disk);
    const isMounted = mounts(disk, '2m');
    const lacking = lacks('mount', () => isMounted);
    if (lacking !== undefined) return skip(lacking);
    try {
      await writeFile(join(disk, 'filler'), new Uint8Array(900_000));
      await writeFile(bench.userFile, `storage: { url: "sqlite:${disk}/x.db" }\n`);
      let isFull = true;
      const { flags, server } = await bench.serve({
        windowTokens: 400_000,
        script: ({ number }) => {
          const command = `head -c 15000 /dev/urandom | base64 -w 0 # ${number}`;
          return isFull
            ? { text: `Step ${number}.`, toolCalls: [{ name: 'bash', arguments: { command } }] }
            : 'There is room now.';
        },
      });
      const args = ['--sandbox', 'local', '--max-steps', '80', ...flags];
      const ended = await bench.run(['run', 'Fill the disk', ...args]);
      expectPlainRefusal(ended, /The disk of \S*x\.db is full/);
      const stored: { messages: { parts: { state?: string }[] }[] } = JSON.parse(
        (await bench.call(['export', 'last'])).stdout,
      );
      isFull = false;
      await rm(join(disk, 'filler'));
      const before = server.requests.length;
      const resumed = await bench.run(['run', '--session', 'last', 'Go on', ...args]);
      expect(resumed.stdout).toContain('There is room now.');
      expect(resumed.code).toBe(0);
      expect(server.requests.length).toBeGreaterThan(before);
      const after: typeof stored = JSON.parse((await bench.call(['export', 'last'])).stdout);
      expect(after.messages.length).toBeGreaterThan(stored.messages.length);
      const parts = after.messages.flatMap((message) => message.parts);
      expect(parts.filter(({ state }) => state === 'running' || state === 'pending')).toEqual([]);
      expect((await bench.call(['doctor'])).stdout).toMatch(/x\.db, .* sound/);
    } finally {
      execFileSync('umount', [disk]);
    }
  });
});

describe('blobs', () => {
  it('that are missing are reported by doctor and recall, and the session continues', async () => {
    await using bench = await Bench.open();
    await withSession(bench);
    await rm(join(dirname(databaseOf(bench)), 'blobs'), { recursive: true });
    const doctor = await bench.call(['doctor', '--json']);
    const checks = linesOf(doctor.stdout).map((line) => JSON.parse(line));
    expect(checks.find(({ name }) => name === 'blobs')).toMatchObject({
      status: 'damaged',
      detail: expect.stringMatching(
        /of 2 blobs, 2 are missing and 0 damaged: .*session \S+, m2\.1, blob [0-9a-f]{12}/,
      ),
    });
    expect(doctor.code).toBe(1);
    const { flags } = await bench.serve({
      windowTokens: 64_000,
      script: ({ number }) =>
        number === 1
          ? { text: 'Looking.', toolCalls: [{ name: 'recall', arguments: { handle: 'm2.1' } }] }
          : 'It is gone.',
    });
    const again = await bench.run(['run', '--session', 'last', 'Read it', '--sandbox', 'local', ...flags]);
    expect(again.stdout).toContain('There is no blob');
    expect(again.stdout).toContain('It is gone.');
    expect(again.code).toBe(0);
  });

  it('whose folder cannot be written cut the output, and the run continues', async () => {
    await using bench = await Bench.open();
    await mkdir(dirname(databaseOf(bench)), { recursive: true });
    await writeFile(join(dirname(databaseOf(bench)), 'blobs'), 'a file in the place of the folder');
    await withSession(bench);
    expect((await bench.call(['show', 'last'])).stdout).toContain('Counted.');
  });
});

function mounts(folder: string, size: string): boolean {
  try {
    execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs', folder], { stdio: 'ignore' });
    return true;
  } catch {
    return false; // Only root may mount: the caller skips.
  }
}
