import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** The files that take the longest, longest first, and those that take long although they are short. */
const LONGEST = [
  'torture/src/run-torture.slow.test.ts',
  'scripts/installed-packages.slow.test.ts',
  'packages/cli/test/chat.slow.test.ts',
  'packages/cli/test/page/context.slow.test.ts',
  'bench/src/startup.slow.test.ts',
  'packages/cli/test/cluster/full-disk.slow.test.ts',
  'packages/cli/test/demo.slow.test.ts',
  'packages/files/test/sessions.slow.test.ts',
  'packages/sandbox/test/docker-contract.slow.test.ts',
  'packages/cli/test/bad-input.slow.test.ts',
  'packages/cli/test/provider-compaction.slow.test.ts',
  'packages/cli/test/run.slow.test.ts',
  'bench/src/soak.slow.test.ts',
  'torture/src/nodes/torture-nodes.slow.test.ts',
  'bench/agents/test/harbor.slow.test.ts',
  'torture/src/family/run-families.slow.test.ts',
  'packages/sandbox/test/bubblewrap-contract.slow.test.ts',
  'packages/context/src/strategies/strategy-contract.test.ts',
];

/**
 * Starts the files that take the longest first. Vitest sorts by the durations of the last run. A fresh checkout has
 * none, so it sorts by size there: the torture test, a short file, would run last, beside an idle processor.
 */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const { root, sequence } = this.ctx.config;
    const places = new Map(LONGEST.map((path, place) => [join(root, path), place]));
    for (const path of places.keys())
      if (!existsSync(path)) throw new Error(`${path} is listed, but missing.`);
    // Most files that share processes are short. A process is kept only for a file of the same project.
    const sharing = this.ctx.projects.filter(({ config }) => !config.isolate);
    const placeOf = ({ moduleId, project }: TestSpecification) =>
      places.get(moduleId) ?? LONGEST.length + 1 + sharing.indexOf(project);
    const sorted = sequence.shuffle ? shuffled(files, sequence.seed) : await super.sort(files);
    return sorted.sort((one, other) => placeOf(one) - placeOf(other));
  }
}

/** What a seed draws is the same in every run. */
function shuffled(files: readonly TestSpecification[], seed: number): TestSpecification[] {
  const drawn = files.map((file) => {
    const place = createHash('sha256').update(`${seed} ${file.moduleId}`).digest('hex');
    return { file, place };
  });
  return drawn.sort((one, other) => (one.place < other.place ? -1 : 1)).map(({ file }) => file);
}
