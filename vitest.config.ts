import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { bunTests } from './scripts/test-support/bun-tests.ts';
import { LongestFirst } from './scripts/test-support/longest-first.ts';
import { sharedTests } from './scripts/test-support/shared-tests.ts';

const FOLDERS = ['packages/*/{src,test}', 'scripts', 'bench/{src,agents}', 'torture/src', 'examples'];
const NEVER = ['**/node_modules/**', '**/dist/**', '**/*.bun.test.ts'];
/** Containers, browsers, several processes on one store, whole sessions: see AGENTS.md. */
const SLOW = '**/*.slow.test.{ts,tsx}';
const SHARED = sharedTests(import.meta.dirname);
/** Tests that draw cases. The slow suite draws all of them: see `drawnCases`. */
const DRAWN = [
  'packages/server/test/openapi-property.test.ts',
  'packages/storage/src/maintenance/flipped-bits.test.ts',
];

/** Tests that run the command a second time, with Bun. */
const WITH_BUN = bunTests(process.env['LONGHAUL_BUN'] === 'all');

/** Programs that tests start share the cache. Otherwise most of their time would be spent compiling. */
const ENV = { NODE_COMPILE_CACHE: join(tmpdir(), 'longhaul-test-compile-cache') };

/** Lets tests of the page wait for as long as the others. */
const setupFiles = ['packages/web/src/patience.fixture.ts'];

export default defineConfig({
  resolve: { conditions: ['longhaul-src'] },
  ssr: { resolve: { conditions: ['longhaul-src'] } },
  test: {
    projects: [
      {
        extends: true,
        test: {
          name: 'fast',
          include: inFolders('*.test.{ts,tsx}'),
          exclude: [...NEVER, SLOW, ...SHARED.node, ...SHARED.document],
          setupFiles,
        },
      },
      // One process runs many of these files, so it loads the modules that they share once.
      { extends: true, test: { name: 'fast-shared', include: SHARED.node, isolate: false } },
      {
        extends: true,
        test: { name: 'fast-document', include: SHARED.document, isolate: false, setupFiles },
      },
      {
        extends: true,
        test: {
          name: 'slow',
          include: [...inFolders('*.slow.test.{ts,tsx}'), ...DRAWN],
          exclude: NEVER,
          env: { ...ENV, LONGHAUL_CASES: 'all' },
        },
      },
      {
        extends: true,
        test: { name: 'bun', include: WITH_BUN, setupFiles: ['packages/cli/test/bun-runtime.ts'] },
      },
    ],
    env: ENV,
    pool: 'forks',
    // Without it a process with worker threads can crash: see packages/testing/src/machine/from-source.ts.
    execArgv: ['--no-wasm-code-gc'],
    // More than the two processors of the machine of CI: a third of the time, a worker waits for programs and servers.
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
    testTimeout: 120_000,
    hookTimeout: 120_000,
    // On a machine with other work, what takes a moment elsewhere takes long: only what never comes is a failure.
    expect: { poll: { timeout: 60_000 } },
  },
});

function inFolders(name: string): string[] {
  return FOLDERS.map((folder) => `${folder}/**/${name}`);
}
