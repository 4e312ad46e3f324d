import { readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

const LARGE = 'head -c 9000000 /dev/urandom | base64 > large.txt';
const COMMANDS = [
  `${LARGE}; echo first > a.txt`,
  'echo second > a.txt; mkdir -p sub; printf x > sub/new; chmod 755 sub/new',
];

/** A session that changed files in two steps. */
async function worked(bench: Bench): Promise<void> {
  await writeFile(join(bench.workspace, 'kept.txt'), 'kept\n');
  const { flags } = await bench.serve({
    windowTokens: 64_000,
    script: ({ number }) => {
      const command = COMMANDS[number - 1];
      return command === undefined
        ? 'Done.'
        : { text: 'Writing.', toolCalls: [{ name: 'bash', arguments: { command } }] };
    },
  });
  const ended = await bench.run(['run', 'Write files', '--sandbox', 'local', ...flags]);
  expect(ended.code, ended.stderr).toBe(0);
}

function blobsOf({ home }: Bench): string {
  return join(home, '.local', 'share', 'longhaul', 'blobs');
}

async function blobFiles(bench: Bench): Promise<string[]> {
  const files = await readdir(blobsOf(bench), { recursive: true }).catch(() => []);
  return files.filter((name) => /^..\/[0-9a-f]{62}$/.test(name));
}

async function exported(bench: Bench, ...flags: string[]): Promise<string> {
  const { stdout, stderr, code } = await bench.run(['export', 'last', ...flags]);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return stdout;
}

/** Imports a text in a new home. */
async function imported(text: string): Promise<{ bench: Bench; output: string }> {
  const bench = await Bench.open();
  await writeFile(join(bench.home, 'session.json'), text);
  const { stdout, code } = await bench.run(['import', join(bench.home, 'session.json')]);
  expect(code, stdout).toBe(0);
  return { bench, output: stdout.replaceAll(/\s+/g, ' ') };
}

describe('an export with files', () => {
  let text = '';
  let large = '';
  beforeAll(async () => {
    await using bench = await Bench.open();
    await worked(bench);
    text = await exported(bench, '--files');
    large = await readFile(join(bench.workspace, 'large.txt'), 'utf8');
  }, 120_000);

  it('restores every recorded state in another home', async () => {
    const { packs } = JSON.parse(text);
    expect(packs.length).toBeGreaterThanOrEqual(3);
    const { bench, output } = await imported(text);
    await using _bench = bench;
    expect(output).not.toMatch(/skipped|hash/i);
    const folder = join(bench.root, 'copy');
    const forked = await bench.run(['fork', 'last', '--at', 'm3', '--files', folder]);
    expect(forked.code, forked.stderr).toBe(0);
    expect(await readFile(join(folder, 'a.txt'), 'utf8')).toBe('second\n');
    expect(await readFile(join(folder, 'large.txt'), 'utf8')).toBe(large);
    expect(await readFile(join(folder, 'kept.txt'), 'utf8')).toBe('kept\n');
    const reverted = await bench.run(['revert', 'last', 'm3', '--files', '--all']);
    expect(reverted.code, reverted.stdout + reverted.stderr).toBe(0);
    const gc = await bench.run(['gc', '--json']);
    expect(JSON.parse(gc.stdout).brokenTrees).toBeUndefined();
    const doctor = await bench.run(['doctor', '--deep']);
    expect(doctor.stdout).toMatch(/✓ files/);
  }, 120_000);

  it('is refused blob by blob if the content does not match its hash; the conversation is imported', async () => {
    const whole = JSON.parse(text);
    for (const pack of whole.packs) pack.data = Buffer.from('another content').toString('base64');
    const { bench, output } = await imported(JSON.stringify(whole));
    await using _bench = bench;
    expect(output).toMatch(/recorded files that do not match their hash/);
    expect(output).toMatch(/3 × recorded files, which only an export with --files contains/);
    expect(await blobFiles(bench)).toEqual([]);
    const reverted = await bench.run(['revert', 'last', 'm3']);
    expect(reverted.code).not.toBe(0);
    expect(reverted.stderr.replaceAll(/\s+/g, ' ')).toMatch(/not in this store.*--files/);
  }, 120_000);

  it('can be cut off anywhere: everything before the cut is imported', async () => {
    const at = text.indexOf('"packs"') + 3_000_000;
    const { bench, output } = await imported(text.slice(0, at));
    await using _bench = bench;
    expect(output).toMatch(/cut off/);
    expect((await bench.run(['show', 'last'])).stdout).toContain('Done.');
  }, 120_000);
});

describe('the preview of a revert', () => {
  it('contains the difference, in the command and over HTTP', async () => {
    await using bench = await Bench.open();
    await worked(bench);
    await writeFile(join(bench.workspace, 'by-hand.txt'), 'mine\n');
    const preview = async (...flags: string[]) =>
      (await bench.run(['revert', 'last', 'm3', '--preview', ...flags])).stdout;
    const shown = await preview();
    expect(shown).toMatch(/^-second\n\+first$/m);
    expect(shown).toMatch(/^\+\+\+ \/dev\/null\n[^\n]*\n-mine$/m);
    expect(shown).toMatch(/This is a preview: nothing was changed\.\n$/);
    expect(await preview('--keep')).not.toContain('-mine');
    const { firstLine, stop } = await bench.begin(['serve', '--port', '0', '--json', '--no-token']);
    const { url } = JSON.parse(firstLine);
    const { sessions } = JSON.parse(await (await fetch(`${url}/api/sessions`)).text());
    const response = await fetch(`${url}/api/sessions/${sessions[0].id}/revert`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ target: 'm3', preview: true, diff: true }),
    });
    expect(await response.json()).toMatchObject({
      status: 'preview',
      diff: expect.stringContaining('-second\n+first\n'),
      truncated: false,
    });
    await stop();
  }, 120_000);
});

describe('an export with files over HTTP', () => {
  it('contains the same packs, and can be imported', async () => {
    await using bench = await Bench.open();
    await worked(bench);
    const whole = JSON.parse(await exported(bench, '--files'));
    const { firstLine, stop } = await bench.begin(['serve', '--port', '0', '--json', '--no-token']);
    const { url } = JSON.parse(firstLine);
    const response = await fetch(`${url}/api/sessions/${whole.session.id}/export?files=true`);
    const text = await response.text();
    expect(JSON.parse(text).packs).toEqual(whole.packs);
    const headers = { 'content-type': 'application/json' };
    const sent = await fetch(`${url}/api/import`, { method: 'POST', headers, body: text });
    expect(await sent.json()).toMatchObject({
      format: 'longhaul',
      messages: whole.messages.length,
      skipped: [],
    });
    await stop();
  }, 120_000);
});

describe('an export without files', () => {
  it('is imported with states that cannot be restored, and does not stop gc from removing files', async () => {
    await using source = await Bench.open();
    await worked(source);
    const { bench, output } = await imported(await exported(source));
    await using _bench = bench;
    expect(output).toMatch(/3 × recorded files, which only an export with --files contains/);
    const shown = await bench.run(['diff', 'last']);
    expect(shown.stderr.replaceAll(/\s+/g, ' ')).toMatch(/not in this store.*--files/);
    expect(JSON.parse((await bench.run(['gc', '--json'])).stdout).brokenTrees).toBeUndefined();
    expect((await bench.run(['doctor', '--deep'])).stdout).not.toMatch(/[!✓] files/);
  }, 120_000);
});

describe('a missing blob of recorded files', () => {
  it('is named by doctor, repair, gc and export, with the session and the message', async () => {
    await using bench = await Bench.open();
    await worked(bench);
    const sound = await bench.run(['doctor', '--deep']);
    expect(sound.stdout.replaceAll(/\s+/g, ' ')).toMatch(/✓ files \d recorded states, in \d+ blobs/);
    for (const name of await blobFiles(bench)) await rm(join(blobsOf(bench), name));
    const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
    for (const flags of [[], ['--deep']]) {
      const doctor = await bench.run(['doctor', ...flags]);
      expect(plain(doctor.stdout)).toMatch(/! files .*session \S+, m2\.\d: blob [0-9a-f]{12} is missing/);
      expect(doctor.code).toBe(1);
    }
    const repaired = await bench.run(['repair']);
    expect(plain(repaired.stdout)).toMatch(/is sound.*Recorded files are lost.*session \S+, m2\.\d: blob/);
    expect(repaired.code).toBe(1);
    const collected = await bench.run(['gc']);
    expect(plain(collected.stdout)).toMatch(/All recorded files are kept: \d recorded states/);
    const lacking = await bench.run(['export', 'last', '--files']);
    expect(lacking.code).toBe(1);
    expect(lacking.stderr).toMatch(/lacks recorded files/);
    expect(JSON.parse(lacking.stdout).packs).toEqual([]);
  }, 120_000);
});
