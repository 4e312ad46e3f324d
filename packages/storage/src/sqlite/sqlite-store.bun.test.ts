import { describe, it } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '@longhaul/testing/contracts';
import { openSqliteStore } from './index.ts';

/**
 * bun.test.ts runs this file in Bun's test runner and removes its TMPDIR, because Bun exits before a removal in this
 * file completes.
 */
const folder = mkdtempSync(join(tmpdir(), 'longhaul-bun-'));

let count = 0;
storeContract({ describe, it }, 'bun:sqlite on a file', (options) => {
  count += 1;
  return openSqliteStore({ path: join(folder, `${count}.db`), ...options });
});
