import type { WindowMemory, WindowReport } from '@longhaul/models';
import { expect, test } from 'vitest';
import { forgetWindow } from './forget-window.ts';
import { Upstream } from './upstream.ts';
import { WindowBook } from './window-book.ts';

const MODEL = 'm';
const upstream = new Upstream({ name: 'u', baseUrl: 'http://127.0.0.1:1/v1' });

/** A server that says what it is told to, when it is let, and a clock. */
function bench(report?: WindowReport, memory?: WindowMemory) {
  const state = { report, asked: 0, now: 0, isLet: Promise.resolve() };
  const book = new WindowBook({
    maxAgeMs: 1000,
    memory,
    now: () => state.now,
    probe: async () => {
      state.asked += 1;
      const { report: said, isLet } = state;
      await isLet;
      return said;
    },
  });
  return { book, state };
}

const says = (windowTokens: number): WindowReport => ({ windowTokens, source: 'Ollama /api/ps' });

test('a known window is asked for again beside the request, when it is old', async () => {
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

test('a model that is unloaded keeps the window it had', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  state.report = undefined;
  expect(await book.refresh(upstream, MODEL)).toEqual(says(8192));
});

test('what an overflow taught caps the report, until the server reports another length', async () => {
  const { book, state } = bench(says(65_536));
  await book.windowOf(upstream, MODEL);
  await book.learn(upstream, MODEL, { windowTokens: 8192, source: 'an overflow error' });
  expect(book.known(upstream, MODEL)?.windowTokens).toBe(8192);
  expect((await book.refresh(upstream, MODEL))?.windowTokens).toBe(8192);
  state.report = says(16_384);
  expect(await book.refresh(upstream, MODEL)).toEqual(says(16_384));
});

test('what was learned before this process holds until the server reports a length', async () => {
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

test('what another process was told to forget is forgotten when the server is asked next', async () => {
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

test('a server that was away is asked before the next request, whether or not its window was known', async () => {
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

test('a server that is found to be away while it is asked is asked again: what it had said counted as what it came back with', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(state, { now: 1000, isLet: promise });
  await book.windowOf(upstream, MODEL);
  expect(state.asked).toBe(2);
  book.doubt(upstream);
  Object.assign(state, { report: says(4096), isLet: Promise.resolve() });
  const next = book.windowOf(upstream, MODEL);
  resolve();
  expect(await next).toEqual(says(4096));
  await book.windowOf(upstream, MODEL);
  expect(state.asked).toBe(3);
});

test('after an error a server is asked again though it is being asked: that answer may be older than the error', async () => {
  const { book, state } = bench(says(8192));
  await book.windowOf(upstream, MODEL);
  const { promise, resolve } = Promise.withResolvers<void>();
  Object.assign(state, { now: 1000, isLet: promise });
  await book.windowOf(upstream, MODEL);
  Object.assign(state, { report: says(4096), isLet: Promise.resolve() });
  const fresh = book.refresh(upstream, MODEL);
  resolve();
  expect(await fresh).toEqual(says(4096));
});

test('two first requests at once both know what was learned before this process', async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  const { book } = bench(undefined, {
    learnedWindow: () => promise,
    learnWindow: async () => {},
    forgetWindow: async () => {},
  });
  const both = Promise.all([book.windowOf(upstream, MODEL), book.windowOf(upstream, MODEL)]);
  // Long enough for a server that is asked to have said nothing.
  await new Promise((done) => setImmediate(done));
  resolve(4096);
  expect((await both).map((known) => known?.windowTokens)).toEqual([4096, 4096]);
});

test('a hosted provider reports none: its catalogue is the last source, behind the configuration', () => {
  const { book } = bench();
  const hosted = (models = {}) =>
    new Upstream({ name: 'cloud', baseUrl: 'https://api.openai.com/v1', models });
  expect(book.known(hosted(), 'gpt-5.1')).toMatchObject({ source: 'catalogue' });
  expect(book.known(hosted({ 'gpt-5.1': { windowTokens: 9_000 } }), 'gpt-5.1')?.windowTokens).toBe(9_000);
  expect(book.known(hosted(), 'nobody-knows-it')).toBeUndefined();
  expect(book.known(upstream, 'gpt-5.1')).toBeUndefined();
});
