import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { loadMethod } from './methods.ts';
import { createStrategy, strategyNames } from './strategies.ts';

const EXAMPLE = fileURLToPath(new URL('../../../../examples/own-strategy.ts', import.meta.url));

let folder: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-strategies-'));
});

afterAll(() => rm(folder, { recursive: true, force: true }));

describe('strategies of a replay', () => {
  it('are the five strategies of the engine that need no provider', () => {
    expect(strategyNames()).toHaveLength(5);
    for (const name of strategyNames()) expect(createStrategy(name).name).toBe(name);
    expect(() => createStrategy('nothing')).toThrow(/Known strategies: reactive-overflow, /);
  });

  it('can be loaded from a module, and are named by its path', async () => {
    expect((await loadMethod(EXAMPLE)).name).toBe(EXAMPLE);
  });

  it('are refused if the module is missing or exports no strategy', async () => {
    await expect(loadMethod(join(folder, 'none.mjs'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('none.mjs cannot be loaded'),
    });
    await writeFile(join(folder, 'other.mjs'), 'export const other = 1;');
    await expect(loadMethod(join(folder, 'other.mjs'))).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('must export "strategy"'),
    });
  });
});
