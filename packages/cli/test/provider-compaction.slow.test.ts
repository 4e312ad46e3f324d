import { readdir, readFile, utimes, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { ChatMessage } from '@longhaul/protocol';
import {
  type ScriptedModelServer,
  type ScriptedModelServerOptions,
  toolResults,
} from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, type Ended, eventsOf } from './harness.ts';

const MODELS = { anthropic: 'claude-sonnet-4-5', openai: 'gpt-5.1' } as const;
type Kind = keyof typeof MODELS;

/** The server tells with these words that it has read a summary in its own form. */
const UNSEALED = /The summary sealed-\d+\./;

interface Setup {
  kind: Kind;
  compaction?: ScriptedModelServerOptions['compaction'];
  steps?: number;
}

/** A session of several compactions, with a native driver of the provider. */
async function benchWith({ kind, compaction = 'works', steps = 28 }: Setup) {
  const bench = await Bench.open();
  const serve = (model: string, steps: number) =>
    bench.serve({
      model,
      compaction,
      script: ({ number, messages, asksForSummary }) => {
        if (asksForSummary) return 'A narrative of a model.';
        if (wasAsked(messages, 'Recall it')) return recallOnce(messages);
        if (number > steps) return 'Done.';
        const text = `Step ${number}: ${'thinking of a plan, '.repeat(150)}`;
        return { text, toolCalls: [{ name: 'glob', arguments: { pattern: `src/step-${number}.ts` } }] };
      },
    });
  const { server } = await serve(MODELS[kind], steps);
  const other = (await serve('mimic-1', 0)).server;
  const window = { window: 16_000, maxOutput: 4_000 };
  const provider = (baseUrl: string, model: string, driver = 'native') => ({
    kind,
    baseUrl,
    apiKey: 'key',
    driver,
    models: { [model]: window },
  });
  const config = {
    model: `${kind}/${MODELS[kind]}`,
    context: { compression: { strategy: 'provider-compaction' } },
    sandbox: { driver: 'local' },
    providers: {
      [kind]: provider(server.url, MODELS[kind]),
      other: { ...provider(other.url, 'mimic-1'), kind: 'openai-compatible' },
    },
  };
  await writeFile(bench.userFile, JSON.stringify(config));
  const configure = (patch: object) => writeFile(bench.userFile, JSON.stringify({ ...config, ...patch }));
  const run = await bench.call(['run', 'Make a plan of many steps.', '--json']);
  return { bench, server, other, run, configure, config };
}

function wasAsked(messages: readonly ChatMessage[], words: string): boolean {
  const last = messages.findLast(({ role }) => role === 'user');
  return JSON.stringify(last?.content ?? '').includes(words);
}

function recallOnce(messages: readonly ChatMessage[]) {
  const found = toolResults(messages, 'recall').at(-1);
  if (found !== undefined) return `Found: ${found.result.slice(0, 300)}`;
  return { toolCalls: [{ name: 'recall', arguments: { query: 'step-2.ts' } }] };
}

function lastPrompt(server: ScriptedModelServer): string {
  return JSON.stringify(server.requests.at(-1)?.body?.messages);
}

function blobFolder({ home }: Bench): string {
  return join(home, '.local', 'share', 'longhaul', 'blobs');
}

/** The blobs that have a sealed summary. */
async function sealedBlobs(bench: Bench): Promise<string[]> {
  const names = await readdir(blobFolder(bench), { recursive: true, withFileTypes: true }).catch(() => []);
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  const isSealed = await Promise.all(
    files.map(async (file) => (await readFile(file, 'utf8')).includes('sealed-')),
  );
  return files.filter((_file, index) => isSealed[index]);
}

function good(ended: Ended): Ended {
  expect(ended.stderr).not.toMatch(/✗|failed/);
  expect(ended.code).toBe(0);
  return ended;
}

describe.each(['anthropic', 'openai'] as const)('provider-compaction with %s', (kind) => {
  it('lets the provider compact, and still recalls, shows, undoes and forks', async () => {
    const { bench, server, run } = await benchWith({ kind });
    await using _bench = bench;
    good(run);
    const compactions = eventsOf(run).filter((event) => event.type === 'context:compressed');
    expect(compactions.length).toBeGreaterThan(1);
    expect(server.requests.filter(({ isCompaction }) => isCompaction)).toHaveLength(compactions.length);
    expect(server.requests.filter(({ outcome }) => outcome !== 'answered')).toEqual([]);
    expect(lastPrompt(server)).toMatch(UNSEALED);
    expect(lastPrompt(server)).not.toContain('## Session Summary');

    const recalled = good(await bench.call(['run', 'Recall it.', '--session', 'last', '-q']));
    expect(recalled.stdout).toMatch(/Found: .*step-2\.ts/s);

    const shown = good(await bench.call(['show', 'last']));
    expect(shown.stdout).toContain('Step 2: ');
    expect(shown.stdout).not.toContain('sealed');
    const context = good(await bench.call(['context', 'last']));
    expect(context.stdout).toMatch(/provider-compaction/);

    const sealed = /sealed-\d+/.exec(lastPrompt(server))?.[0];
    good(await bench.call(['fork', 'last', '--title', 'copy']));
    good(await bench.call(['run', 'In the fork.', '--session', 'last', '-q']));
    expect(lastPrompt(server)).toContain(`The summary ${sealed}.`);

    good(await bench.call(['undo', 'last']));
    good(await bench.call(['run', 'After the undo.', '--session', 'last', '-q']));
    expect(lastPrompt(server)).not.toContain(`The summary ${sealed}.`);
  });

  it('compacts on request, from the command line', async () => {
    const { bench, server } = await benchWith({ kind, steps: 12 });
    await using _bench = bench;
    const made = good(await bench.call(['compact', 'last', '--json']));
    expect(JSON.parse(made.stdout)).toMatchObject({
      status: 'compacted',
      strategy: 'provider-compaction',
      warnings: [],
      summary: { narrative: '', opaque: { model: `${kind}/${MODELS[kind]}` } },
      usage: { outputTokens: 20 },
    });
    expect(server.requests.at(-1)).toMatchObject({ isCompaction: true, outcome: 'answered' });
    good(await bench.call(['run', 'Go on.', '--session', 'last', '-q']));
    expect(lastPrompt(server)).toMatch(UNSEALED);
  });

  it('gives the ledger to other models, and the summary to its maker again', async () => {
    const { bench, server, other } = await benchWith({ kind });
    await using _bench = bench;
    good(await bench.call(['run', 'With another.', '--session', 'last', '-q', '--model', 'other/mimic-1']));
    expect(other.requests.at(-1)?.outcome).toBe('answered');
    expect(lastPrompt(other)).toContain('## Session Summary');
    expect(lastPrompt(other)).not.toContain('sealed');
    good(
      await bench.call(['run', 'And back.', '--session', 'last', '-q', '--model', `${kind}/${MODELS[kind]}`]),
    );
    expect(server.requests.at(-1)?.outcome).toBe('answered');
    expect(lastPrompt(server)).toMatch(UNSEALED);
  });

  it('gives the ledger to the driver of the AI SDK', async () => {
    const { bench, server, configure, config } = await benchWith({ kind });
    await using _bench = bench;
    const { providers } = config;
    await configure({ providers: { ...providers, [kind]: { ...providers[kind], driver: 'ai-sdk' } } });
    good(await bench.call(['run', 'With another driver.', '--session', 'last', '-q']));
    expect(lastPrompt(server)).toContain('## Session Summary');
    expect(lastPrompt(server)).not.toContain('sealed');
  });

  it('exports the ledger, and continues an imported session', async () => {
    const { bench, server } = await benchWith({ kind });
    await using _bench = bench;
    const exported = good(await bench.call(['export', 'last']));
    const { marks } = JSON.parse(exported.stdout);
    const compactions = marks.filter((mark: { kind: string }) => mark.kind === 'compaction');
    expect(compactions.at(-1).summary).toMatchObject({ ledger: expect.stringContaining('step-') });
    const file = join(bench.root, 'session.json');
    await writeFile(file, exported.stdout);
    const imported = JSON.parse(
      good(await bench.call(['import', file, '--json'])).stdout.split('\n')[0] ?? '',
    );
    const { requests } = server;
    const before = requests.length;
    good(await bench.call(['run', 'Go on here.', '--session', imported.sessionId ?? imported.id, '-q']));
    expect(requests.length).toBeGreaterThan(before);
    expect(requests.slice(before).map(({ outcome }) => outcome)).not.toContain('rejected');
  });

  it('keeps the blob of a summary while a session names it, and removes it with the last one', async () => {
    const { bench, server } = await benchWith({ kind });
    await using _bench = bench;
    const before = await sealedBlobs(bench);
    expect(before.length).toBeGreaterThan(1);
    for (const file of before) await utimes(file, 1, 1);
    good(await bench.call(['gc', '--json']));
    expect(await sealedBlobs(bench)).toEqual(before);
    good(await bench.call(['run', 'Go on.', '--session', 'last', '-q']));
    expect(lastPrompt(server)).toMatch(UNSEALED);

    const edit = new DatabaseSync(join(dirname(blobFolder(bench)), 'longhaul.db'));
    edit.exec('UPDATE heads SET updated_at = 1');
    edit.close();
    for (const file of await sealedBlobs(bench)) await utimes(file, 1, 1);
    good(await bench.call(['gc', '--older-than', '30d', '--yes']));
    expect(await sealedBlobs(bench)).toEqual([]);
  });

  it.each([
    ['fails', 'fails'],
    ['knows no compaction', 'is unknown'],
  ] as const)('uses the ledger and a narrative if the provider %s', async (_name, compaction) => {
    const { bench, server, run } = await benchWith({ kind, compaction });
    await using _bench = bench;
    good(run);
    const events = eventsOf(run);
    expect(events.filter((event) => event.type === 'context:compressed').length).toBeGreaterThan(0);
    expect(events.find((event) => event.type === 'context:warning')).toMatchObject({
      message: expect.stringMatching(/^The provider made no summary: .* The ledger is used instead\.$/s),
    });
    expect(lastPrompt(server)).toContain('## Session Summary');
    expect(lastPrompt(server)).toContain('A narrative of a model.');
  });
});
