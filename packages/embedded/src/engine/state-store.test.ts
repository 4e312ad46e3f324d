import { mkdir, mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import type { LlamaSequence } from '../library/llama-types.ts';
import { StateStore } from './state-store.ts';

const STATE = 'x'.repeat(5_000);
/** A state and its tokens. */
const STORED_BYTES = STATE.length + 300 * 4;

let states: string;
let folder: string;
beforeEach(async () => {
  states = await mkdtemp(join(tmpdir(), 'longhaul-states-'));
  folder = join(states, 'model-4096');
});
afterEach(() => rm(states, { recursive: true, force: true }));

/** A sequence that has read these tokens, and whose states are this text. */
function sequence(first: number, { load = async () => {}, text = STATE } = {}): LlamaSequence {
  const tokens = tokensFrom(first);
  return {
    nextTokenIndex: tokens.length,
    contextTokens: tokens,
    adaptStateToTokens: async () => {},
    evaluateWithoutGeneratingNewTokens: async () => {},
    async *evaluate() {},
    clearHistory: async () => {},
    async saveStateToFile(path) {
      await writeFile(path, text);
      return { fileSize: text.length };
    },
    loadStateFromFile: load,
  };
}

function tokensFrom(first: number): number[] {
  return Array.from({ length: 300 }, (_, index) => first + index);
}

it('stores a state for the next process', async () => {
  await new StateStore(folder, 1e6).save(sequence(1));
  const next = new StateStore(folder, 1e6);
  expect(await next.restore(sequence(2), tokensFrom(3), 0)).toBe(false);
  for (const _ of ['once', 'again']) expect(await next.restore(sequence(2), tokensFrom(1), 0)).toBe(true);
});

it('does not try a state again that ended the process', async () => {
  await new StateStore(folder, 1e6).save(sequence(1));
  // The process ends while it loads the state.
  let started = () => {};
  const loads = new Promise<void>((resolve) => {
    started = resolve;
  });
  const load = () => {
    started();
    return new Promise<void>(() => {});
  };
  void new StateStore(folder, 1e6).restore(sequence(2, { load }), tokensFrom(1), 0);
  await loads;
  const next = new StateStore(folder, 1e6);
  expect(await next.restore(sequence(2), tokensFrom(1), 0)).toBe(false);
  await next.save(sequence(1));
  expect(await next.restore(sequence(2), tokensFrom(1), 0)).toBe(true);
});

it('leaves nothing of a state that cannot be written, and goes on', async () => {
  const log = vi.spyOn(console, 'error').mockImplementation(() => {});
  const store = new StateStore(folder, 1e6);
  const full: LlamaSequence = {
    ...sequence(1),
    async saveStateToFile(path) {
      await writeFile(path, 'half');
      throw new Error('No space left on device');
    },
  };
  await store.save(full);
  expect(await readdir(folder)).toEqual([]);
  await writeFile(join(states, 'file'), '');
  const nowhere = new StateStore(join(states, 'file', 'model'), 1e6);
  await nowhere.save(sequence(1));
  expect(await nowhere.restore(sequence(1), tokensFrom(1), 0)).toBe(false);
  expect(log).toHaveBeenCalledTimes(2);
  log.mockRestore();
});

it('keeps the budget of all models, with what killed processes have left', async () => {
  const other = join(states, 'other-8192');
  await mkdir(other);
  for (const [name, age] of [
    ['old.state', 60],
    ['old.tokens', 60],
    ['torn.new', 50],
    ['used.state', 1],
  ] as const) {
    const path = join(other, name);
    await writeFile(path, STATE);
    const time = Date.now() / 1_000 - age;
    await utimes(path, time, time);
  }
  const store = new StateStore(folder, 2 * STORED_BYTES + STATE.length);
  await store.save(sequence(1));
  expect((await readdir(other)).sort()).toEqual(['torn.new', 'used.state']);
  await store.save(sequence(1_000));
  expect(await readdir(other)).toEqual(['used.state']);
  expect(await store.restore(sequence(1), tokensFrom(1_000), 0)).toBe(true);
});
