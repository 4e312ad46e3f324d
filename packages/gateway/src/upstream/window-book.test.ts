import type { WindowMemory, WindowReport } from '@longhaul/models';
import { expect, test } from 'vitest';
import { forgetWindow } from './forget-window.ts';
import { Upstream } from './upstream.ts';
import { WindowBook } from './window-book.ts';

const MODEL = 'm';
const upstream = new Upstream({ name: 'u', baseUrl: 'http://127.0.0.1:1/v1' });

/** A window book with a fake clock and a fake server, which reports `state.report` once `state.mayAnswer` resolves. */
function bench(report?: WindowReport, memory?: WindowMemory) {
  const state = { report, asked: 0, now: 0, mayAnswer: Promise.resolve() };
  const book = new WindowBook({
    maxAgeMs: 1000,
    memory,
    now: () => state.now,
    probe: async () => {
      state.asked += 1;
      const { report: answer, mayAnswer } = state;
      await mayAnswer;
      return answer;
    },
  });
  return { book, state };
}

const says = (windowTokens: number): WindowReport => ({ windowTokens, source: 'Ollama /api/ps' });

test('queries an old window again in the background', async () => {
  const { book, state } = bench(says(8192));
  expect(await book.windowOf(upstream, MODEL)).toEqual(says(8192));
  expect(await book.windowOf(upstream, MODEL)).toEqual(says(8192));
  expect(state.asked).toBe(1);
  state.report = says(4096);
  state.now = 1000;
  expect(await book.windowOf(upstream, MODEL)).toEqual(says(8192));
  expect(state.asked).toBe(2);
  await book.refresh(upstream, MODEL);
  expect(book.known(upstream, MODEL)).toEqual(says(4096));
});

test('keeps the last window of an unloaded model', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  state.report = undefined;
  expect(await book.refresh(upstream, MODEL)).toEqual(says(8192));
});

test('caps the report with a learned window until the server reports another one', async () => {
  const { book, state } = bench(says(65_536));
  await book.windowOf(upstream, MODEL);
  await book.learn(upstream, MODEL, { windowTokens: 8192, source: 'an overflow error' });
  expect(book.known(upstream, MODEL)?.windowTokens).toBe(8192);
  expect((await book.refresh(upstream, MODEL))?.windowTokens).toBe(8192);
  state.report = says(16_384);
  expect(await book.refresh(upstream, MODEL)).toEqual(says(16_384));
});

test('does not learn a window smaller than the reported one from a server that answers several requests', async () => {
  const { book } = bench({ ...says(65_536), slots: 4 });
  await book.windowOf(upstream, MODEL);
  await book.learn(upstream, MODEL, { windowTokens: 16_384, source: 'an overflow error' });
  expect(book.known(upstream, MODEL)?.windowTokens).toBe(65_536);
});

test('uses a window learned by an earlier process until the server reports one', async () => {
  let kept: number | undefined = 4096;
  const { book, state } = bench(undefined, {
    learnedWindow: async () => kept,
    learnWindow: async () => {},
    forgetWindow: async () => {
      kept = undefined;
    },
  });
  expect(await book.windowOf(upstream, MODEL)).toMatchObject({
    windowTokens: 4096,
    source: 'an earlier overflow',
  });
  state.report = says(32_768);
  expect(await book.refresh(upstream, MODEL)).toEqual(says(32_768));
  expect(kept).toBeUndefined();
});

test('forgets a window that another process has forgotten at the next query', async () => {
  const server = { baseUrl: upstream.baseUrl, model: MODEL };
  const kept = new Map<string, number>();
  const keyOf = ({ baseUrl, model }: typeof server) => `${baseUrl} ${model}`;
  const memory: WindowMemory = {
    learnedWindow: async (of) => kept.get(keyOf(of)),
    learnWindow: async (of, tokens) => void kept.set(keyOf(of), tokens),
    forgetWindow: async (of) => void kept.delete(keyOf(of)),
  };
  const { book } = bench(undefined, memory);
  await book.windowOf(upstream, MODEL);
  await book.learn(upstream, MODEL, { windowTokens: 4096, source: 'an overflow error' });
  expect((await book.refresh(upstream, MODEL))?.windowTokens).toBe(4096);
  const upstreams = [
    { name: 'u', baseUrl: upstream.baseUrl },
    { name: 'other', baseUrl: 'http://127.0.0.1:2/v1' },
  ];
  expect(await forgetWindow('u/m', { upstreams, memory })).toEqual([
    { upstream: 'u', ...server, windowTokens: 4096 },
  ]);
  expect(await book.refresh(upstream, MODEL)).toBeUndefined();
  kept.set(keyOf(server), 2048);
  const everywhere = await forgetWindow(MODEL, { upstreams, memory });
  expect(everywhere.map(({ windowTokens }) => windowTokens)).toEqual([2048, undefined]);
  expect(kept.size).toBe(0);
});

test('queries a server that was unreachable before the next request, with or without a known window', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  state.report = undefined;
  expect(await book.windowOf(upstream, 'late')).toBeUndefined();
  book.doubt(upstream);
  state.report = says(4096);
  expect(await book.windowOf(upstream, MODEL)).toEqual(says(4096));
  expect(await book.windowOf(upstream, 'late')).toEqual(says(4096));
  const { asked } = state;
  await book.windowOf(upstream, 'late');
  expect(state.asked).toBe(asked);
});

test('queries again if the server became unreachable during a query', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(state, { now: 1000, mayAnswer: promise });
  await book.windowOf(upstream, MODEL);
  expect(state.asked).toBe(2);
  book.doubt(upstream);
  Object.assign(state, { report: says(4096), mayAnswer: Promise.resolve() });
  const next = book.windowOf(upstream, MODEL);
  resolve();
  expect(await next).toEqual(says(4096));
  await book.windowOf(upstream, MODEL);
  expect(state.asked).toBe(3);
});

test('refreshes with a new query even if one is running, whose answer may be too old', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(state, { now: 1000, mayAnswer: promise });
  await book.windowOf(upstream, MODEL);
  Object.assign(state, { report: says(4096), mayAnswer: Promise.resolve() });
  const fresh = book.refresh(upstream, MODEL);
  resolve();
  expect(await fresh).toEqual(says(4096));
});

test('gives two concurrent first requests the window learned by an earlier process', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { book } = bench(undefined, {
    learnedWindow: () => promise,
    learnWindow: async () => {},
    forgetWindow: async () => {},
  });
  const both = Promise.all([book.windowOf(upstream, MODEL), book.windowOf(upstream, MODEL)]);
  // By now the fake server has answered without a window.
  await new Promise((done) => setImmediate(done));
  resolve(4096);
  expect((await both).map((known) => known?.windowTokens)).toEqual([4096, 4096]);
});

test('uses the catalogue for a hosted provider, after the configuration', () => {
  const { book } = bench();
  const hosted = (models = {}) =>
    new Upstream({ name: 'cloud', baseUrl: 'https://api.openai.com/v1', models });
  expect(book.known(hosted(), 'gpt-5.1')).toMatchObject({ source: 'catalogue' });
  expect(book.known(hosted({ 'gpt-5.1': { windowTokens: 9_000 } }), 'gpt-5.1')?.windowTokens).toBe(9_000);
  expect(book.known(hosted(), 'unknown-model')).toBeUndefined();
  expect(book.known(upstream, 'gpt-5.1')).toBeUndefined();
});
