import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayFile } from './gateway-file.ts';

const UPSTREAMS = [{ name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1' }];

let folder: string;
let file: GatewayFile;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-gateway-file-'));
  file = new GatewayFile(join(folder, 'new', 'longhaul.yml'), {});
});

afterEach(() => rm(folder, { recursive: true, force: true }));

const text = () => readFile(file.path, 'utf8');

it('creates the file, and writes the upstreams in use if it switches one', async () => {
  await file.store({ compactor: 'ollama/small', inputThreshold: 0.7 }, UPSTREAMS);
  expect(await text()).toBe('gateway:\n  compactor: ollama/small\n  inputThreshold: 0.7\n');
  expect((await stat(file.path)).mode & 0o777).toBe(0o600);
  await file.store({ compaction: { lmstudio: false } }, UPSTREAMS);
  expect(await text()).toBe(
    'gateway:\n  compactor: ollama/small\n  inputThreshold: 0.7\n  upstreams:\n    - name: lmstudio\n      baseUrl: http://127.0.0.1:1234/v1\n      compaction: false\n',
  );
});

it('keeps comments, order and quotes, and makes concurrent changes one after the other', async () => {
  file = new GatewayFile(join(folder, 'longhaul.yml'), { KEY: 'secret' });
  const before = `# Mine
gateway:
  port: 4141 # usual
  upstreams:
    # Two of them.
    - { name: lmstudio, baseUrl: "http://127.0.0.1:1234/v1" }
    - { name: cloud, baseUrl: 'https://api.example.com/v1', apiKey: $KEY }
model: "ollama/qwen3:8b" # fast
`;
  await writeFile(file.path, before, { mode: 0o644 });
  await Promise.all([
    file.store({ compaction: { cloud: false } }, UPSTREAMS),
    file.store({ warningThreshold: 0.95 }, UPSTREAMS),
  ]);
  expect(await text()).toBe(
    before
      .replace('apiKey: $KEY }', 'apiKey: $KEY, compaction: false }')
      .replace('model:', '  warningThreshold: 0.95\nmodel:'),
  );
  expect((await stat(file.path)).mode & 0o777).toBe(0o644);
});

it.each([
  ['a value that is not valid', 'model: a/b\n', { inputThreshold: 2 }],
  ['a model that is not valid', 'model: a/b\n', { compactor: 'no slash' }],
  ['a file that is not valid', 'gateway: { port: no }\n', { inputThreshold: 0.5 }],
  [
    'an upstream that the file does not list',
    'gateway: { upstreams: [] }\n',
    { compaction: { other: false } },
  ],
  [
    'an upstream behind an alias',
    'gateway:\n  upstreams:\n    - &a { name: x, baseUrl: "http://127.0.0.1:1/v1" }\n    - *a\n',
    { compaction: { y: false } },
  ],
])('refuses %s, leaves the file as it is, and makes the next change', async (_, before, change) => {
  file = new GatewayFile(join(folder, 'longhaul.yml'), {});
  await writeFile(file.path, before);
  await expect(file.store(change, UPSTREAMS)).rejects.toMatchObject({ code: 'config_invalid' });
  expect(await text()).toBe(before);
  await writeFile(file.path, 'gateway:\n');
  await file.store({ inputThreshold: 0.5 }, UPSTREAMS);
  expect(await text()).toBe('gateway:\n  inputThreshold: 0.5\n');
});

it.each([
  ['of an empty section', '# Top\ngateway: # mine\n  # Nothing yet.\nmodel: a/b\n'],
  ['alone', '# Top\n# Nothing yet.\n'],
])('keeps comments %s', async (_, before) => {
  file = new GatewayFile(join(folder, 'longhaul.yml'), {});
  await writeFile(file.path, before);
  await file.store({ inputThreshold: 0.5 }, UPSTREAMS);
  const after = await text();
  for (const comment of before.match(/#.*/g) ?? []) expect(after).toContain(comment);
  expect(after).toContain('inputThreshold: 0.5');
});

it('keeps the line ends of Windows', async () => {
  file = new GatewayFile(join(folder, 'longhaul.yml'), {});
  await writeFile(file.path, '# Mine\r\ngateway:\r\n  port: 4141\r\n');
  await file.store({ inputThreshold: 0.5 }, UPSTREAMS);
  expect(await text()).toBe('# Mine\r\ngateway:\r\n  port: 4141\r\n  inputThreshold: 0.5\r\n');
});

it.skipIf(process.getuid?.() === 0)(
  'leaves a read-only file as it is (root can write every file)',
  async () => {
    file = new GatewayFile(join(folder, 'longhaul.yml'), {});
    await writeFile(file.path, 'gateway:\n', { mode: 0o444 });
    await expect(file.store({ inputThreshold: 0.5 }, UPSTREAMS)).rejects.toMatchObject({
      code: 'file_unreadable',
      message: expect.stringContaining('Cannot write'),
    });
    expect(await text()).toBe('gateway:\n');
  },
);

it('reports a file that cannot be read', async () => {
  await expect(new GatewayFile(folder, {}).store({}, UPSTREAMS)).rejects.toMatchObject({
    code: 'file_unreadable',
  });
});
