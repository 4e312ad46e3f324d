import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

function databaseOf({ home }: Bench): string {
  return join(home, '.local', 'share', 'longhaul', 'longhaul.db');
}

/** A session with one command, and a bit of its output flipped on disk. */
async function withFlippedBit(bench: Bench): Promise<string[]> {
  const { flags } = await bench.serve({
    windowTokens: 64_000,
    script: ({ number }) =>
      number === 1
        ? { text: 'Saying.', toolCalls: [{ name: 'bash', arguments: { command: 'echo quartz-crystal' } }] }
        : 'Done.',
  });
  const args = ['--sandbox', 'local', ...flags];
  expect((await bench.call(['run', 'Say it', ...args])).code).toBe(0);
  const path = databaseOf(bench);
  const database = new DatabaseSync(path);
  database.exec("DELETE FROM events WHERE payload LIKE '%quartz%'; PRAGMA wal_checkpoint(TRUNCATE); VACUUM");
  database.close();
  const bytes = await readFile(path);
  const at = bytes.lastIndexOf('"text":"quartz-crystal');
  expect(at).toBeGreaterThan(0);
  bytes[at + 9] = (bytes[at + 9] ?? 0) ^ 4;
  await writeFile(path, bytes);
  return args;
}

describe('a flipped bit in the output of a command', () => {
  it('ends doctor, export, show and repair with 1 and is named; the session continues without the output', async () => {
    await using bench = await Bench.open();
    const args = await withFlippedBit(bench);
    const doctor = await bench.call(['doctor', '--deep']);
    expect(doctor.code).toBe(1);
    expect(doctor.stdout.replaceAll(/\s+/g, ' ')).toMatch(
      /! database .*contains damaged rows\. session \S+, m2\.1: its bytes changed on disk/,
    );
    const exported = await bench.call(['export', 'last']);
    expect(exported.code).toBe(1);
    expect(exported.stderr).toMatch(
      /Session \S+ is damaged\. 1 row .*\n {2}m2\.1: its bytes changed on disk/,
    );
    expect(JSON.parse(exported.stdout)).toMatchObject({
      damaged: [{ table: 'parts', handle: 'm2.1' }],
      messages: [{}, { parts: [{ type: 'text' }, { type: 'notice' }, { type: 'patch' }] }, {}],
    });
    const shown = await bench.call(['show', 'last']);
    expect(shown).toMatchObject({ code: 1, stdout: expect.stringMatching(/! damaged: m2\.1/) });
    const again = await bench.call(['run', '--session', 'last', 'Again', ...args]);
    expect(again.code).toBe(0);
    expect(again.stdout + again.stderr).toContain('m2.1 is damaged on disk');
    const repaired = await bench.call(['repair', '--yes']);
    expect(repaired.code).toBe(1);
    expect(repaired.stdout.replaceAll(/\s+/g, ' ')).toMatch(/Lost or changed: session \S+, m2\.1: its bytes/);
    expect((await bench.call(['show', 'last'])).code).toBe(0);
    expect((await bench.call(['doctor', '--deep'])).stdout).toMatch(/✓ database/);
  });
});

describe('a deleted workspace', () => {
  it('is reported by run and resume with a remedy, and nothing is sent', async () => {
    await using bench = await Bench.open();
    const { flags, server } = await bench.serve({ script: () => 'Done.' });
    expect((await bench.call(['run', 'Say it', '--sandbox', 'local', ...flags])).code).toBe(0);
    const { requests } = server;
    const before = requests.length;
    await rm(bench.workspace, { recursive: true });
    const options = ['--all', '--sandbox', 'local', '-C', bench.home, ...flags];
    for (const command of [
      ['run', '--session', 'last', 'Again'],
      ['resume', 'last'],
    ]) {
      const ended = await bench.call([...command, ...options]);
      expect(ended.code).toBe(2);
      expect(ended.stderr).toContain(`works in ${bench.workspace}, which no longer exists`);
      expect(ended.stderr).toContain('longhaul export');
    }
    expect(requests.length).toBe(before);
  });
});
