import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '@longhaul/core/testing';
import { afterAll, beforeAll, describe, it } from 'vitest';
import { openSqliteStore } from './index.ts';

let folder = '';
let count = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'longhaul-store-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

storeContract({ describe, it }, 'sqlite on a file', (options) => {
  count += 1;
  return openSqliteStore({ path: join(folder, `${count}`, 'store.db'), ...options });
});
