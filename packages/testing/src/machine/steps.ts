import { type Profiler, Session } from 'node:inspector';
import { setFlagsFromString } from 'node:v8';

/** V8 counts blocks only in functions that it compiles after these calls. */
const session = new Session();
session.connect();
session.post('Profiler.enable');
session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });

/** Optimized code does not update the counts. */
const OPTIMIZERS = ['opt', 'maglev', 'use-osr'];

/**
 * Counts the steps of `work` in the sources of `packages`: calls of functions, and entries into blocks such as the body
 * of a loop. Two runs take the same number of steps on any machine, so a test can compare the work for n and for 10 n
 * without a clock. Work in built-in functions, such as a regular expression or `indexOf`, does not count.
 *
 * A test imports this module before the modules that it measures.
 */
export async function countSteps(work: () => unknown): Promise<number> {
  for (const name of OPTIMIZERS) setFlagsFromString(`--no-${name}`);
  try {
    // Starting again discards optimized code. Taking the counts resets them to zero.
    session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true });
    takeCounts();
    await work();
    return takeCounts().reduce((sum, script) => sum + stepsIn(script), 0);
  } finally {
    for (const name of OPTIMIZERS) setFlagsFromString(`--${name}`);
  }
}

function takeCounts(): Profiler.ScriptCoverage[] {
  let scripts: Profiler.ScriptCoverage[] = [];
  // The session belongs to this thread, so it calls back before `post` returns.
  session.post('Profiler.takePreciseCoverage', (_, { result }) => {
    scripts = result;
  });
  return scripts;
}

const SOURCE = /\/packages\/(?!testing\/)[^/]+\/src\/(?!.*\.test\.ts$)/;

function stepsIn({ url, functions }: Profiler.ScriptCoverage): number {
  if (!SOURCE.test(url)) return 0;
  let steps = 0;
  for (const { functionName, ranges, isBlockCoverage } of functions) {
    const executed = ranges.reduce((sum, { count }) => sum + count, 0);
    if (executed > 0 && !isBlockCoverage)
      throw new Error(
        `The blocks of ${functionName} in ${url} are not counted. Begin the test with: import '@longhaul/testing/steps'`,
      );
    steps += executed;
  }
  return steps;
}
