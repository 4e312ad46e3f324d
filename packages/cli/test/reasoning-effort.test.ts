import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Bench } from './harness.ts';

/** A scripted model of a configured provider, and the fields of reasoning in its requests. */
async function reasoner(settings: object) {
  const bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const { server } = await bench.serve({ script: () => 'Done.' });
  const mine = { baseUrl: server.url, models: { scripted: { window: 64_000 } }, ...settings };
  await writeFile(bench.userFile, JSON.stringify({ providers: { mine } }));
  const model = ['--model', 'mine/scripted'];
  const run = (...more: string[]) => bench.call(['run', 'Hi', '--sandbox', 'local', ...model, ...more]);
  return { bench, server, run, model };
}

test('--effort must be a level', async () => {
  const { run, server } = await reasoner({});
  const { code, stderr } = await run('--effort', 'hgh');
  expect(code).toBe(2);
  expect(stderr).toContain(
    '--effort must be none, minimal, low, medium, high, xhigh or max, not "hgh". Did you mean high?',
  );
  expect(server.requests).toEqual([]);
});

test('--effort replaces a configured budget that the server cannot take', async () => {
  const { run } = await reasoner({ reasoning: { budgetTokens: 2_000 } });
  const refused = await run();
  expect(refused.code).toBe(2);
  expect(refused.stderr).toContain(
    'mine/scripted: OpenAI-compatible servers have no common field for a budget',
  );
  expect(await run('--effort', 'low')).toMatchObject({
    code: 0,
    stderr: expect.not.stringContaining('budget'),
  });
});

test('doctor reports a setting that does not fit the model', async () => {
  const { bench, model } = await reasoner({ reasoning: { budgetTokens: 2_000 } });
  const { code, stdout } = await bench.call(['doctor', ...model]);
  expect(code).toBe(1);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain('have no common field for a budget');
});
