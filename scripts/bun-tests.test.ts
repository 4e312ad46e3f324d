import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { testsOfProcesses, WITH_BUN, WITHOUT_BUN } from './test-support/bun-tests.ts';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

it('knows for each test that starts the command whether it runs with Bun, or why not', () => {
  const listed = [...WITH_BUN, ...Object.values(WITHOUT_BUN).flat()];
  // A new test belongs in one of the lists of scripts/test-support/bun-tests.ts.
  expect(listed.sort()).toEqual(testsOfProcesses(ROOT));
});
