import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { lacks } from '@longhaul/testing/machine';
import { expect, it } from 'vitest';
import { call, callsSinceUser, makeFolder, runAdapter, startModel, whyNoRoom } from './support.ts';

async function makeInstance(folder: string, id: string) {
  const repository = join(folder, 'repos', id);
  await mkdir(repository, { recursive: true });
  const git = (...args: string[]) =>
    execFileSync('git', ['-c', 'user.name=x', '-c', 'user.email=x@x', ...args], {
      cwd: repository,
    }).toString();
  await writeFile(join(repository, 'add.py'), 'def add(a, b):\n    return a - b\n');
  await writeFile(join(repository, '.gitignore'), '*.log\n');
  git('init', '-q', '-b', 'main');
  git('add', '.');
  git('commit', '-qm', 'first');
  return {
    instance_id: id,
    base_commit: git('rev-parse', 'HEAD').trim(),
    problem_statement: 'add subtracts.',
  };
}

it('writes the change of each instance as a prediction, and continues after an interruption', async ({
  skip,
}) => {
  const reason = whyNoRoom();
  if (reason !== undefined) return lacks('bubblewrap', reason, skip);
  const folder = await makeFolder();
  const ids = ['own__add-1', 'own__add-2'];
  const instances = await Promise.all(ids.map((id) => makeInstance(folder, id)));
  const dataset = join(folder, 'dataset.jsonl');
  await writeFile(dataset, instances.map((each) => `${JSON.stringify(each)}\n`).join(''));
  let runs = 0;
  const url = await startModel(({ messages }) => {
    const made = callsSinceUser(messages);
    if (made === 0) {
      runs += 1;
      expect(JSON.stringify(messages)).toContain('add subtracts.');
      return call('edit', { path: 'add.py', old: 'a - b', new: 'a + b' });
    }
    if (made === 1)
      return call('bash', { command: 'echo "1 == 1" >test_add.py; echo x >run.log; git commit -qam fix' });
    return 'Fixed.';
  });
  const out = join(folder, 'out');
  const common = ['--dataset', dataset, '--repos', join(folder, 'repos'), '--out', out];
  const flags = ['--', '--base-url', url];
  await runAdapter('swe-bench.ts', [...common, '--limit', '1', ...flags]);
  const predictions = () =>
    readFileSync(join(out, 'predictions.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  expect(predictions()).toHaveLength(1);
  await runAdapter('swe-bench.ts', [...common, '--jobs', '2', ...flags]);
  expect(runs).toBe(2);
  expect(predictions().map(({ instance_id }) => instance_id)).toEqual(ids);
  for (const { model_patch, model_name_or_path } of predictions()) {
    expect(model_name_or_path).toBe('longhaul (openai-compatible/scripted)');
    expect(model_patch).toContain('-    return a - b\n+    return a + b');
    expect(model_patch).toContain('+++ b/test_add.py');
    expect(model_patch).not.toContain('run.log');
  }
  const [result] = readFileSync(join(out, 'results.jsonl'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
  expect(result).toMatchObject({
    status: 'completed',
    exitCode: 0,
    answer: 'Fixed.',
    modelCalls: 3,
    costUsd: null,
  });
  // The prediction applies to the base.
  const checkout = join(folder, 'repos', ids[0] ?? '');
  execFileSync('git', ['apply', '--check', '-'], { cwd: checkout, input: predictions()[0].model_patch });
});

it('refuses an instance whose id is a path', async () => {
  const folder = await makeFolder();
  const dataset = join(folder, 'dataset.jsonl');
  const line = { instance_id: '../x', base_commit: 'HEAD', problem_statement: 'x' };
  await writeFile(dataset, JSON.stringify(line));
  await expect(
    runAdapter('swe-bench.ts', ['--dataset', dataset, '--out', join(folder, 'out')]),
  ).rejects.toThrow('../x cannot be the id of an instance.');
});
