import { globSync, readFileSync } from 'node:fs';

const TESTS = ['packages/*/{src,test}', 'scripts', 'bench/src'].map(
  (folder) => `${folder}/**/*.test.{ts,tsx}`,
);
const NEVER = ['**/node_modules/**', '**/*.slow.test.{ts,tsx}', '**/*.bun.test.ts'];

/**
 * What changes the process for the file after it: replaced modules, timers and globals, the environment and the
 * listeners of the process, counted steps. Vitest itself takes back what `vi.spyOn` replaces. Programs that a test
 * starts itself are named too, since they can outlive it. So are tests that import other tests: a process evaluates a
 * module once, so it would leave out the tests of a file that it has run before.
 */
const CHANGES_PROCESS =
  /\.test\.tsx?['"]|\bvi\.(?!fn\b|spyOn\b)|testing\/steps|globalThis|process\.(?:env|chdir|on|once|umask|exit|kill|emit)\b|child_process|worker_threads/;

/** A process is kept for files of one environment. */
const HAS_DOCUMENT = /@vitest-environment happy-dom/;

export interface SharedTests {
  /** Paths of tests in a simulated document. */
  document: string[];
  /** Paths of all others. */
  node: string[];
}

/**
 * Returns the tests that can run in one process after each other. Most of them take less time than the start of a
 * process and the loading of the modules that they test.
 */
export function sharedTests(root: string): SharedTests {
  const shared: SharedTests = { document: [], node: [] };
  for (const path of globSync(TESTS, { cwd: root, exclude: NEVER }).sort()) {
    const text = readFileSync(`${root}/${path}`, 'utf8');
    if (CHANGES_PROCESS.test(text)) continue;
    shared[HAS_DOCUMENT.test(text) ? 'document' : 'node'].push(path);
  }
  return shared;
}
