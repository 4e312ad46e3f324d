import { globSync, readFileSync } from 'node:fs';

/** Unit tests beside the code that they test. */
const UNIT_TESTS = ['packages/*/src/**/*.test.{ts,tsx}', 'scripts/*.test.ts', 'bench/src/**/*.test.ts'];
const NEVER = ['**/node_modules/**', '**/*.slow.test.{ts,tsx}', '**/*.bun.test.ts'];

/**
 * What changes the process for the file after it: replaced modules, timers and globals, a simulated document, the
 * environment and the listeners of the process, counted steps. Programs that a test starts are named too, since they
 * can outlive it.
 */
const CHANGES_PROCESS =
  /\bvi\.|@vitest-environment|testing\/steps|globalThis|process\.(?:env|chdir|on|once|umask|exit|kill|emit)\b|child_process|worker_threads/;

/**
 * Returns the paths of the unit tests that can run in one process after each other. Most of them take less time than
 * the start of a process and the loading of the modules that they test.
 */
export function sharedTests(root: string): string[] {
  const paths = globSync(UNIT_TESTS, { cwd: root, exclude: NEVER });
  return paths.filter((path) => !CHANGES_PROCESS.test(readFileSync(`${root}/${path}`, 'utf8'))).sort();
}
