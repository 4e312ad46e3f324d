import { describe, it } from 'bun:test';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { storeContract } from '@longhaul/testing/contracts';
import { openSqliteStore } from './index.ts';

/** Run by Bun's own test runner, which bun.test.ts starts with a TMPDIR that it removes: Bun ends before a removal of its own has. */
const folder = mkdtempSync(join(tmpdir(), 'longhaul-bun-'));

let count = 0;
storeContract({ describe, it }, 'bun:sqlite on a file', (options) => {
  count += 1;
  return openSqliteStore({ path: join(folder, `${count}.db`), ...options });
});
