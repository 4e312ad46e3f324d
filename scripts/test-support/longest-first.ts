import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take the longest, longest first. */
const LONGEST = [
  'torture/src/run-torture.slow.test.ts',
  'scripts/installed-packages.slow.test.ts',
  'packages/cli/test/chat.slow.test.ts',
  'bench/src/startup.slow.test.ts',
  'packages/cli/test/bad-input.slow.test.ts',
  'packages/cli/test/provider-compaction.slow.test.ts',
  'packages/cli/test/run.slow.test.ts',
  'bench/agents/test/harbor.slow.test.ts',
  'packages/context/src/strategies/strategy-contract.test.ts',
];

/**
 * Starts the files that take the longest first. Vitest sorts by the durations of the last run. A fresh checkout has
 * none, so it sorts by size there: the torture test, a short file, would run last, beside an idle processor.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root } = this.ctx.config;
    const places = new Map(LONGEST.map((path, place) => [join(root, path), place]));
    for (const path of places.keys())
      if (!existsSync(path)) throw new Error(`${path} is listed, but missing.`);
    const placeOf = ({ moduleId }: TestSpecification) => places.get(moduleId) ?? LONGEST.length;
    return (await super.sort(files)).sort((one, other) => placeOf(one) - placeOf(other));
  }
}
