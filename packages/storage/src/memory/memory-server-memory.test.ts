import { expect, it } from 'vitest';
import { openSqliteStore } from '../sqlite/index.ts';
import { createMemoryServerMemory } from './memory-server-memory.ts';

const DAY_MS = 86_400_000;
const server = { baseUrl: 'http://127.0.0.1:1234/v1', model: 'qwen' };

it.each(['memory', 'sqlite'])('keeps a learned window until the model is reloaded: %s', async (kind) => {
  let time = 1_000_000;
  const now = () => time;
  await using store = await openSqliteStore({ path: ':memory:', now });
  const windows = kind === 'memory' ? createMemoryServerMemory(now) : store;

  expect(await windows.learnedWindow(server)).toBeUndefined();
  await windows.learnWindow(server, 8_192);
  await windows.learnWindow({ ...server, model: 'other' }, 4_096);
  expect(await windows.learnedWindow(server)).toBe(8_192);
  // The server reported nothing when the window was learned, so a reported window replaces it.
  expect(await windows.learnedWindow(server, 16_384)).toBeUndefined();

  await windows.learnWindow(server, 6_000, 8_192);
  expect(await windows.learnedWindow(server, 8_192)).toBe(6_000);
  expect(await windows.learnedWindow(server)).toBe(6_000);
  expect(await windows.learnedWindow(server, 32_768)).toBeUndefined();

  time += 29 * DAY_MS;
  expect(await windows.learnedWindow(server)).toBe(6_000);
  time += DAY_MS;
  expect(await windows.learnedWindow(server)).toBeUndefined();

  await windows.learnWindow(server, 5_000);
  await windows.forgetWindow(server);
  expect(await windows.learnedWindow(server)).toBeUndefined();
});

it.each(['memory', 'sqlite'])('keeps learned settings for thirty days: %s', async (kind) => {
  let time = 1_000_000;
  const now = () => time;
  await using store = await openSqliteStore({ path: ':memory:', now });
  const memory = kind === 'memory' ? createMemoryServerMemory(now) : store;

  expect(await memory.learnedSettings(server)).toBeUndefined();
  await memory.learnSettings(server, { reasoning: { return: 'none' } });
  await memory.learnSettings({ ...server, model: 'other' }, { reasoning: { return: 'all' } });
  await memory.learnSettings(server, { reasoning: { return: 'all-or-empty' } });
  time += 29 * DAY_MS;
  expect(await memory.learnedSettings(server)).toEqual({ reasoning: { return: 'all-or-empty' } });
  time += DAY_MS;
  expect(await memory.learnedSettings(server)).toBeUndefined();
});
