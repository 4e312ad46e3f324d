import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Script } from '@longhaul/scripted-model';
import {
  findPostgres,
  isRequired,
  type PostgresServer,
  startPostgres,
  startS3,
} from '@longhaul/testing/machine';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

const isMissing = findPostgres() === undefined && !isRequired('postgres');
const PASSWORD = 'right-and-secret';

/** A model that prints many numbers first, and then gives this answer. */
const counting =
  (answer: string): Script =>
  ({ number }) =>
    number === 1
      ? {
          text: 'Counting.',
          toolCalls: [{ name: 'bash', arguments: { command: 'seq 1 60000; echo needle' } }],
        }
      : answer;

describe.skipIf(isMissing)('sessions in PostgreSQL', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgres();
    await server.query(`CREATE USER guarded PASSWORD '${PASSWORD}'`);
    await server.query('CREATE DATABASE work OWNER guarded');
  }, 60_000);
  afterAll(() => server[Symbol.asyncDispose]());

  /** What a check of the database says. Others fail without a model. */
  const checked = async (bench: Bench) => {
    const { stdout } = await bench.run(['doctor', '--json']);
    expect(stdout).not.toContain(PASSWORD);
    return stdout;
  };
  const address = (password = PASSWORD) => `postgres://guarded:${password}@127.0.0.1:${server.port}/work`;
  const set = (bench: Bench, url: string) => writeFile(bench.userFile, `storage: { url: "${url}" }\n`);

  it('are run, listed, searched, shown and resumed, and the password is never shown', async () => {
    await using bench = await Bench.open();
    await set(bench, address());
    const { flags } = await bench.serve({
      windowTokens: 64_000,
      script: counting('Counted all of them.'),
    });
    const run = async (args: string[]) => {
      const ended = await bench.run(args);
      expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
      expect(ended.code, ended.stdout + ended.stderr).toBe(0);
      return ended.stdout;
    };
    expect(await checked(bench)).toContain('the first run creates the tables');
    const model = ['--sandbox', 'local', ...flags];
    await run(['run', 'Count to many', ...model]);
    expect(await run(['sessions'])).toContain('Count to many');
    expect(await run(['search', 'needle'])).toContain('needle');
    expect(await run(['show', 'last'])).toContain('Counted all of them.');
    await run(['send', 'last', 'And again']);
    await run(['resume', 'last', ...model]);
    expect(await checked(bench)).toMatch(/PostgreSQL \d+.*"1 session"/s);
    expect(await run(['config'])).toContain('postgres://********@127.0.0.1');
  });

  it('keep their blobs in a bucket, and continue without it', async () => {
    await using bucket = await startS3();
    await using bench = await Bench.open();
    const blobs = bucket.url('team');
    await writeFile(bench.userFile, `storage: { url: "${address()}", blobs: "${blobs}" }\n`);
    const { flags } = await bench.serve({
      windowTokens: 64_000,
      script: ({ number }) =>
        number % 2 === 1
          ? { text: 'Counting.', toolCalls: [{ name: 'bash', arguments: { command: 'seq 1 60000' } }] }
          : 'Counted.',
    });
    const count = () =>
      bench.run(['run', 'Count', '--sandbox', 'local', '--json', ...flags], { env: bucket.env });
    const stored = await count();
    expect(stored.code, stored.stderr).toBe(0);
    const outputs = () => [...bucket.objects].filter(([, { length }]) => length > 300_000);
    expect(outputs().map(([key]) => key.split('/')[0])).toEqual(['team']);
    expect([...bucket.objects.keys()].some((key) => key.startsWith('team/databases/'))).toBe(true);
    bucket.objects.set(`team/ab/${'c'.repeat(62)}`, Buffer.from('unused'));
    const collected = await bench.run(['gc', '--older-than', '1h', '--yes'], { env: bucket.env });
    expect(collected.stdout + collected.stderr).toContain('1 blob that no session names (6 B) is deleted');
    bucket.objects.clear();
    bucket.failures.push(...Array.from({ length: 500 }, () => 403));
    const withoutBucket = await count();
    expect(withoutBucket.code, withoutBucket.stderr).toBe(0);
    expect(withoutBucket.stdout).toContain('Counted.');
    expect(outputs()).toEqual([]);
  });

  it('are copied from SQLite and back with their blobs', async () => {
    await using bucket = await startS3();
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      windowTokens: 64_000,
      script: counting('Counted.'),
    });
    const run = async (args: string[], code = 0) => {
      const ended = await bench.run(args, { env: bucket.env });
      expect(ended.stdout + ended.stderr).not.toContain(PASSWORD);
      expect(ended.code, ended.stdout + ended.stderr).toBe(code);
      return ended.stdout + ended.stderr;
    };
    await run(['run', 'Count to many', '--sandbox', 'local', ...flags]);
    const shown = await run(['show', 'last']);
    const file = 'sqlite:~/.local/share/longhaul/longhaul.db';
    const url = `${address()}?schema=moved`;
    const move = (from: string, to: string, ...rest: string[]) => ['migrate-storage', from, to, ...rest];
    const blobs = bucket.url('moved');
    const first = await run(move(file, url, '--blobs', blobs));
    expect(first).toMatch(/Copied and compared: 1 session, [1-9]\d* blobs? /);
    expect(await run(move(file, url, '--blobs', blobs))).toContain('The target had 1 session already.');
    expect(await run(move(url, url, '--from-blobs', blobs, '--blobs', 'postgres'))).toContain('0 sessions, ');
    await run(move(url, 'sqlite:~/back/longhaul.db', '--from-blobs', 'postgres'));
    await writeFile(bench.userFile, 'storage: { url: "sqlite:~/back/longhaul.db" }\n');
    expect(await run(['show', 'last'])).toBe(shown);
    expect(await run(['doctor', '--deep', '--json'], 1)).not.toContain('"damaged"');
    await writeFile(bench.userFile, `storage: { url: "${url}", blobs: "${blobs}" }\n`);
    expect(await run(['show', 'last'])).toBe(shown);
    expect(await run(['search', 'needle'])).toContain('needle');
    const [[key = '', whole = Buffer.of()] = []] = [...bucket.objects].filter(
      ([, { length }]) => length > 300_000,
    );
    expect(await run(['doctor', '--deep', '--json'], 1)).toContain(
      'all with the right hash; in s3://bucket/moved',
    );
    bucket.objects.set(key, Buffer.from('spoilt'));
    expect(await run(['doctor', '--deep', '--json'], 1)).toContain('0 are missing and 1 damaged: session');
    bucket.objects.delete(key);
    expect(await run(['doctor', '--json'], 1)).toContain('1 are missing and 0 damaged: session');
    bucket.objects.set(key, whole);
    const folder = join(bench.root, 'backup');
    expect(await run(['backup', folder])).toMatch(/verified: the database \(.*\), [1-9]\d*\sblobs?/);
    expect(await run(['restore', folder])).toContain('Restored the backup');
    await writeFile(bench.userFile, `storage: { url: "${address()}?schema=restored", blobs: postgres }\n`);
    await run(['restore', folder, '--without-settings']);
    expect(await run(['show', 'last'])).toBe(shown);
    await run(['send', 'last', 'More']);
    expect(await run(['restore', folder, '--without-settings'], 2)).toContain(
      'has sessions that are not in the backup',
    );
    await writeFile(bench.userFile, 'storage: { url: "sqlite:~/restored/longhaul.db" }\n');
    await run(['restore', folder, '--without-settings']);
    expect(await run(['show', 'last'])).toBe(shown);
    expect(await run(move(url, url), 2)).toContain('are the same store');
    expect(await run(move('sqlite:/absent/longhaul.db', url), 1)).toContain('There is no database at');
    expect(await run(move('/absent/longhaul.db', url), 2)).toContain('takes two stores');
  });

  it('are refused with what to do', async () => {
    await using bench = await Bench.open();
    const refused = async (url: string, args: string[], message: RegExp) => {
      await set(bench, url);
      const { code, stdout, stderr } = await bench.run(args);
      expect(code, stdout + stderr).not.toBe(0);
      expect(stdout + stderr).toMatch(message);
      expect(stdout + stderr).not.toMatch(/secret|\n\s+at /);
    };
    await refused(address('wrong-and-secret'), ['sessions'], /refused the user or the password/);
    await refused(address('wrong-and-secret'), ['doctor', '--json'], /refused the user or the password/);
    await refused('postgres://guarded:secret@127.0.0.1', ['sessions'], /names no database/);
    await refused(
      'postgres://guarded:secret@127.0.0.1/x?sslmod=a',
      ['sessions'],
      /has the parameter "sslmod"/,
    );
    await writeFile(bench.userFile, 'storage: { blobs: postgres }\n');
    const { stderr } = await bench.run(['sessions']);
    expect(stderr).toContain('storage.blobs is set, and storage.url names no PostgreSQL database');
    await refused(address(), ['repair'], /works with SQLite databases only/);
  });
});
