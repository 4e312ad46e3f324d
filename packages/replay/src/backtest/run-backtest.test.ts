import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { Summarise } from '@longhaul/context/engine';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { FileReport } from './backtest-types.ts';
import { baselineNames } from './methods.ts';
import { type BacktestReport, runBacktest } from './run-backtest.ts';
import { strategyNames } from './strategies.ts';
import { filler } from './test-support/recorded.ts';
import { totalsOf } from './totals.ts';

let folder = '';

/** A session as OpenAI chat messages. Its first call reads a file, and its last call uses a name from that file. */
function chat(steps: number): string {
  const messages: object[] = [{ role: 'user', content: 'Find the cause.' }];
  for (let index = 0; index < steps; index += 1) {
    const args = index === steps - 1 ? { pattern: 'retryAfterSeconds' } : { path: `src/part-${index}.ts` };
    const call = {
      id: `c${index}`,
      type: 'function',
      function: { name: 'read', arguments: JSON.stringify(args) },
    };
    messages.push({ role: 'assistant', content: `Step ${index}. ${filler(300)}`, tool_calls: [call] });
    const text = index === 0 ? 'const retryAfterSeconds = 3;' : filler(700);
    messages.push({ role: 'tool', tool_call_id: `c${index}`, content: text });
  }
  messages.push({ role: 'assistant', content: 'Found.' });
  return JSON.stringify(messages);
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-backtest-'));
  await mkdir(join(folder, 'inner'));
  await writeFile(join(folder, 'long.json'), chat(30));
  await writeFile(join(folder, 'inner', 'short.json'), chat(4));
  await writeFile(join(folder, 'inner', 'middle.json'), chat(24));
  await writeFile(join(folder, 'empty.jsonl'), '');
  await writeFile(
    join(folder, 'noise.json'),
    Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 89) % 256)),
  );
  await writeFile(join(folder, 'other.json'), '{"name":"a package"}');
  await writeFile(join(folder, 'README.md'), 'No session.');
});

afterAll(() => rm(folder, { recursive: true, force: true }));

const everyMethod = () => [...strategyNames(), ...baselineNames()];
const withoutTimes = ({ files, ...rest }: BacktestReport) => ({
  ...rest,
  files: files.map(({ runs, ...file }) => ({
    ...file,
    runs: runs.map((run) => ({ ...run, milliseconds: 0 })),
  })),
});
const named = (files: readonly FileReport[], name: string) =>
  files.find(({ path }) => basename(path) === name);

describe('a backtest of a folder', () => {
  test('measures sessions that are larger than the window, and skips the others', async () => {
    const { files } = await runBacktest({ paths: [folder], windows: [16_000], methods: everyMethod() });
    expect(named(files, 'long.json')?.runs.every((run) => !run.isSkipped)).toBe(true);
    expect(named(files, 'short.json')?.runs.every((run) => run.isSkipped)).toBe(true);
    const everything = totalsOf(files, 'everything', 16_000);
    expect(everything).toMatchObject({ sessions: 2, farFacts: 2, farRecall: 1, recall: 1, costShare: 1 });
    expect(totalsOf(files, 'drop-oldest-80-30', 16_000)).toMatchObject({ farRecall: 0 });
  });

  test('reports each file that contains no session with the reason, and continues', async () => {
    const missing = join(folder, 'missing.jsonl');
    const { files, leftAside } = await runBacktest({
      paths: [folder, missing],
      windows: [16_000],
      methods: ['everything'],
    });
    const problems = files.filter((file) => file.problem !== undefined);
    expect(problems.map(({ path, problem }) => [basename(path), problem])).toEqual([
      ['empty.jsonl', expect.stringContaining('empty')],
      ['missing.jsonl', expect.stringContaining('does not exist')],
      ['noise.json', expect.stringContaining('not text')],
      ['other.json', expect.stringContaining('Unknown format')],
    ]);
    expect(leftAside).toBe(1);
    expect(files).toHaveLength(7);
  });

  test('gives the same results from one worker as from three', async () => {
    const options = { paths: [folder], windows: [8_000, 16_000], methods: everyMethod(), wantsTrace: true };
    const alone = await runBacktest({ ...options, workers: 1 });
    const three = await runBacktest({ ...options, workers: 3 });
    expect(withoutTimes(three)).toEqual(withoutTimes(alone));
  });

  test('reports its progress up to the end', async () => {
    const seen: number[] = [];
    let total = 0;
    await runBacktest({
      paths: [folder],
      windows: [8_000],
      methods: ['everything', 'mask-then-drop'],
      onProgress: (progress) => {
        seen.push(progress.done);
        total = progress.total;
      },
    });
    expect(seen.at(-1)).toBe(total);
    expect(seen).toEqual(seen.toSorted((left, right) => left - right));
  });

  test('refuses an unknown strategy before it reads a file', async () => {
    const run = runBacktest({ paths: [folder], windows: [8_000], methods: ['no-such'] });
    await expect(run).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('reactive-overflow'),
    });
  });

  test('calls the summariser of the main thread for every narrative, and counts its tokens', async () => {
    let asked = 0;
    const summarise: Summarise = async () => {
      asked += 1;
      return { status: 'ok', text: 'Parts were read.', finishedBy: 'stop' };
    };
    const options = { paths: [join(folder, 'long.json')], windows: [8_000], methods: ['reactive-overflow'] };
    const plain = await runBacktest(options);
    const summarised = await runBacktest({ ...options, summarise });
    expect(asked).toBeGreaterThan(0);
    const cost = (report: BacktestReport) => totalsOf(report.files, 'reactive-overflow', 8_000).costTokens;
    expect(cost(summarised)).toBeGreaterThan(cost(plain));
  });

  test('stops when it is cancelled', async () => {
    const controller = new AbortController();
    const run = runBacktest({
      paths: [folder],
      windows: [8_000, 16_000],
      methods: everyMethod(),
      signal: controller.signal,
      onProgress: () => controller.abort(),
    });
    await expect(run).rejects.toMatchObject({ code: 'cancelled' });
  });
});
