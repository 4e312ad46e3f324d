import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { call, callsSinceUser, makeFolder, runAdapter, startModel, whyNoRoom } from './support.ts';

/** An exercise of our own in the layout of the public ones. Its test is a shell script, which every room can run. */
async function makeExercise(root: string, name: string) {
  const folder = join(root, 'sh', 'exercises', 'practice', name);
  const files: Record<string, string> = {
    '.docs/instructions.md': `# ${name}\n\nPrint the sum of two numbers.`,
    '.meta/config.json': JSON.stringify({
      files: { solution: ['sum.sh'], test: ['sum_test.sh'], example: ['.meta/example.sh'] },
    }),
    '.meta/example.sh': 'echo $(($1 + $2))\n',
    'sum.sh': '# your code\n',
    'sum_test.sh': 'got=$(sh sum.sh 2 3); [ "$got" = 5 ] || { echo "expected 5, got $got"; exit 1; }\n',
  };
  for (const [path, text] of Object.entries(files)) {
    await mkdir(dirname(join(folder, path)), { recursive: true });
    await writeFile(join(folder, path), text);
  }
}

it('gives an exercise two tries, the second with the output of the tests that the agent never sees', async ({
  skip,
}) => {
  const reason = whyNoRoom();
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  const folder = await makeFolder();
  const exercises = join(folder, 'exercises');
  for (const name of ['at-once', 'later', 'never']) await makeExercise(exercises, name);
  const seen: string[] = [];
  const url = await startModel(({ messages }) => {
    const texts = JSON.stringify(messages);
    const name = /# (at-once|later|never)/.exec(texts)?.[1] ?? '';
    const hasOutput = texts.includes('expected 5, got 6');
    if (callsSinceUser(messages) === 0) {
      seen.push(`${name} ${hasOutput ? 'second' : 'first'}`);
      const isRight = name === 'at-once' || (name === 'later' && hasOutput);
      return call('write', {
        path: 'sum.sh',
        content: isRight ? 'echo $(($1 + $2))\n' : 'echo $(($1 * $2))\n',
      });
    }
    if (callsSinceUser(messages) === 1) return call('bash', { command: 'ls -A; cat sum_test.sh' });
    expect(texts).not.toContain('got=$(sh sum.sh');
    return 'Done.';
  });
  const out = join(folder, 'out');
  const args = [
    '--exercises',
    exercises,
    '--out',
    out,
    '--test',
    'sh=sh sum_test.sh',
    '--',
    '--base-url',
    url,
  ];
  const printed = await runAdapter('polyglot.ts', args);
  expect(printed).toContain('Passed at the first try: 1 of 3; after the second: 2 of 3. Cost: not known.');
  expect(seen).toEqual(['at-once first', 'later first', 'later second', 'never first', 'never second']);
  const results = readFileSync(join(out, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(results.map(({ exercise, passed }) => [exercise, passed])).toEqual([
    ['sh/at-once', [true]],
    ['sh/later', [false, true]],
    ['sh/never', [false, false]],
  ]);
  // Both tries are one session.
  expect(new Set(results[1].tries.map(({ sessionId }: { sessionId: string }) => sessionId)).size).toBe(1);
  expect(readFileSync(join(out, 'runs/sh/later/tests-1.txt'), 'utf8')).toContain('expected 5, got 6');
});
