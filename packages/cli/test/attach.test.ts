import { mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { Bench } from './harness.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

const ACCEPTS = 'providers: { openai-compatible: { accepts: { images: true, files: true } } }\n';

/** A workspace with these files, and a model that says what it was sent. */
async function workspace(files: Record<string, string | Uint8Array>, config = ACCEPTS) {
  const bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  await writeFile(bench.userFile, config);
  for (const [name, content] of Object.entries(files)) {
    const path = join(bench.workspace, name);
    await mkdir(join(path, '..'), { recursive: true });
    await writeFile(path, content);
  }
  const sent: string[] = [];
  const { flags } = await bench.serve({
    script: ({ messages }) => {
      sent.push(JSON.stringify(messages.findLast(({ role }) => role === 'user')));
      return 'Seen.';
    },
  });
  const run = (task: string, ...more: string[]) =>
    bench.call(['run', task, '--sandbox', 'local', ...flags, ...more]);
  return { bench, run, sent, flags };
}

test('@path attaches a text of the workspace after the task, once', async () => {
  const { run, sent } = await workspace({ 'src/a.ts': 'const a = 1;\n', 'two words.txt': 'deux' });
  const ended = await run('Compare @src/a.ts, @src/a.ts and @"two words.txt".');
  expect(ended.code, ended.stderr).toBe(0);
  expect(sent).toHaveLength(1);
  expect(sent[0]?.match(/Attached file/g)).toHaveLength(2);
  expect(sent[0]).toMatch(
    /Compare @src\/a.ts.*Attached file src\/a.ts:.*const a = 1;.*two words.txt:.*deux/s,
  );
});

test('@path and --image attach images, which reach the model as such', async () => {
  const { bench, run, sent } = await workspace({ 'dot.png': Buffer.from(PIXEL, 'base64') });
  const shot = join(bench.root, 'shot.png');
  await writeFile(shot, Buffer.from(PIXEL, 'base64'));
  const ended = await run('Look at @dot.png', '--image', shot, '--image', 'dot.png');
  expect(ended.code, ended.stderr).toBe(0);
  expect(sent[0]?.match(/image_url/g)?.length).toBeGreaterThanOrEqual(3);
  expect(sent[0]).toContain(PIXEL);
});

test('texts in Windows-1252 and UTF-16 are decoded, with their encoding', async () => {
  const { run, sent } = await workspace({
    'latin.txt': Buffer.from('Grüße für 5 \x80\n', 'latin1'),
    'wide.txt': Buffer.from('\ufeffweite Grüße', 'utf16le'),
  });
  const ended = await run('Read @latin.txt and @wide.txt');
  expect(ended.code, ended.stderr).toBe(0);
  expect(sent[0]).toMatch(/Attached file latin.txt \(in Windows-1252\):.*Grüße für 5 €/s);
  expect(sent[0]).toMatch(/Attached file wide.txt \(in UTF-16LE\):.*weite Grüße/s);
});

test('words that name no file stay text', async () => {
  const { run, sent } = await workspace({ 'a.txt': 'x', 'src/b.txt': 'y' });
  const task =
    'Mail me@example.com about @scope/package, @src, @missing.ts, @/lib, @/, @../, @. and @ at /etc/passwd';
  expect(await run(task)).toMatchObject({ code: 0 });
  expect(sent[0]).toContain(task);
  expect(sent[0]).not.toContain('Attached');
});

test('mentions in an attached file, in standard input and in an answer are text', async () => {
  const { bench, flags, sent } = await workspace({ 'a.txt': 'read @b.txt', 'b.txt': 'hidden words' });
  const args = ['run', 'See @a.txt', '-', '--sandbox', 'local', ...flags];
  const ended = await bench.run(args, { input: 'and @b.txt too' });
  expect(ended.code, ended.stderr).toBe(0);
  expect(sent[0]).toContain('and @b.txt too');
  expect(sent.join()).not.toContain('hidden words');
});

test.each<[string, string, RegExp]>([
  ['a file outside', '@/etc/hostname', /@\/etc\/hostname is outside of the workspace/],
  ['a file above', '@../above.txt', /outside of the workspace/],
  ['a link out', '@link', /@link is outside of the workspace/],
  ['a file of secrets', '@.env', /@.env usually contains secrets/],
  ['a link to a file of secrets', '@innocent.txt', /usually contains secrets/],
  ['a private key', '@notes.txt', /contains a private key/],
  ['a binary file', '@data.bin', /@data.bin is a binary file of 5,000 bytes, .*iconv -f ENCODING/],
  ['a file of one byte', '@one.bin', /@one.bin is a binary file of 1 byte,/],
  [
    'a Cyrillic text in KOI8-R',
    '@koi8.txt',
    /@koi8.txt is a binary file of 6 bytes, or a text in an unknown enc/,
  ],
  ['a large file', '@large.txt', /@large.txt has 195k bytes.* at most 98k bytes.*Name it without the @/],
  ['a slightly too large file', '@limit.txt', /@limit.txt has 100,001 bytes.* at most 100,000 bytes/],
])('%s is refused before a run', async (_name, mention, message) => {
  const { bench, run, sent } = await workspace({
    '.env': 'KEY=1',
    'notes.txt': '-----BEGIN RSA PRIVATE KEY-----\n',
    'data.bin': new Uint8Array(5_000),
    'one.bin': new Uint8Array(1),
    'koi8.txt': Uint8Array.from([0xf0, 0xd2, 0xc9, 0xd7, 0xc5, 0xd4]),
    'large.txt': 'x'.repeat(200_000),
    'limit.txt': 'x'.repeat(100_001),
  });
  await writeFile(join(bench.root, 'above.txt'), 'x');
  await symlink('/etc/hostname', join(bench.workspace, 'link'));
  await symlink('.env', join(bench.workspace, 'innocent.txt'));
  const { code, stderr } = await run(`See ${mention}`);
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
  expect(sent).toEqual([]);
  expect((await bench.call(['sessions', '--json'])).stdout).toBe('');
});

test.each<[string, RegExp]>([
  ['missing.png', /--image missing.png does not exist/],
  ['a.txt', /--image a.txt is not a PNG, JPEG, GIF or WebP image/],
  ['.', /--image . is not a regular file/],
  ['empty.png', /--image empty.png is not a PNG/],
])('--image %s is refused', async (name, message) => {
  const { run, sent } = await workspace({ 'a.txt': 'x'.repeat(200_000), 'empty.png': '' });
  const { code, stderr } = await run('See', '--image', name);
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(message);
  expect(sent).toEqual([]);
});

test('refuses images for a model without images before the run', async () => {
  const { bench, run, sent } = await workspace({ 'dot.png': Buffer.from(PIXEL, 'base64') }, '');
  const { code, stderr } = await run('Look at @dot.png');
  expect(code).toBe(2);
  expect(stderr.replaceAll(/\s+/g, ' ')).toMatch(
    /does not accept images.*providers.openai-compatible.accepts: \{ images: true \}/,
  );
  expect(sent).toEqual([]);
  expect((await bench.call(['sessions', '--json'])).stdout).toBe('');
});

test('refuses to queue an image for a model without images, with and without a run', async () => {
  const { bench, run, flags } = await workspace({ 'dot.png': Buffer.from(PIXEL, 'base64') }, '');
  const { flags: held } = await bench.serve({
    script: () => ({ text: 'Held.', fault: { kind: 'silence' } }),
  });
  const none = /does not accept images.*providers.openai-compatible.accepts: \{ images: true \}/;
  const plain = (text: string) => text.replaceAll(/\s+/g, ' ');
  expect(await run('Start')).toMatchObject({ code: 0 });
  const added = await bench.call(['queue', 'last', 'add', 'Look', '@dot.png']);
  expect([added.code, plain(added.stderr)]).toEqual([2, expect.stringMatching(none)]);
  const working = bench.start(['run', 'Hold', '--json', '--sandbox', 'local', ...held]);
  await working.saw('llm:thinking');
  for (const more of [[], ['--wait']]) {
    const see = ['run', 'See', '--image', 'dot.png', '--session', 'last', '--sandbox', 'local', ...flags];
    const sent = await bench.call([...see, ...more]);
    expect([sent.code, plain(sent.stderr)]).toEqual([2, expect.stringMatching(none)]);
  }
  expect(JSON.parse((await bench.call(['queue', 'last', '--json'])).stdout)).toEqual([]);
  await bench.call(['cancel', 'last']);
  await working.ended;
});

test.each(['headers: { x-team: $NO_SUCH_VARIABLE }', 'apiKey: $NO_SUCH_VARIABLE'])(
  'a variable that is not set is a mistake of the configuration: %s',
  async (setting) => {
    const { run, sent } = await workspace({}, `providers: { openai-compatible: { ${setting} } }\n`);
    const { code, stderr } = await run('Look');
    expect(code).toBe(2);
    expect(stderr.replaceAll(/\s+/g, ' ')).toContain('reads $NO_SUCH_VARIABLE, which is not set');
    expect(sent).toEqual([]);
  },
);

test('queue add attaches files to the waiting message', async () => {
  const { bench, run, sent, flags } = await workspace({ 'a.txt': 'queued words' });
  expect(await run('Start')).toMatchObject({ code: 0 });
  expect(await bench.call(['queue', 'last', 'add', 'Now', '@a.txt'])).toMatchObject({ code: 0 });
  const resumed = await bench.call(['resume', 'last', '--sandbox', 'local', ...flags]);
  expect(resumed.code, resumed.stderr).toBe(0);
  expect(sent.at(-1)).toContain('queued words');
});
