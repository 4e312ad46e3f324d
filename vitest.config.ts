import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { LongestFirst } from './scripts/test-support/longest-first.ts';
import { sharedTests } from './scripts/test-support/shared-tests.ts';

const FOLDERS = ['packages/*/{src,test}', 'scripts', 'bench/{src,agents}', 'torture/src', 'examples'];
const NEVER = ['**/node_modules/**', '**/dist/**', '**/*.bun.test.ts'];
/** Containers, browsers, several processes on one store, whole sessions: see AGENTS.md. */
const SLOW = '**/*.slow.test.{ts,tsx}';
const SHARED = sharedTests(import.meta.dirname);

export default defineConfig({
  resolve: { conditions: ['longhaul-src'] },
  ssr: { resolve: { conditions: ['longhaul-src'] } },
  test: {
    projects: [
      {
        extends: true,
        test: { name: 'fast', include: inFolders('*.test.{ts,tsx}'), exclude: [...NEVER, SLOW, ...SHARED] },
      },
      // One process runs many of these files, so it loads the modules that they share once.
      { extends: true, test: { name: 'fast-shared', include: SHARED, isolate: false } },
      { extends: true, test: { name: 'slow', include: inFolders('*.slow.test.{ts,tsx}'), exclude: NEVER } },
    ],
    // Programs that tests start share it. Otherwise most of their time would be spent compiling.
    env: { NODE_COMPILE_CACHE: join(tmpdir(), 'longhaul-test-compile-cache') },
    pool: 'forks',
    // Without it a process with worker threads can crash: see packages/testing/src/machine/from-source.ts.
    execArgv: ['--no-wasm-code-gc'],
    maxWorkers: 2,
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
