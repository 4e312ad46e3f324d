import { writeFile } from 'node:fs/promises';
import { expect, onTestFinished, test } from 'vitest';
import { Bench, eventsOf } from './harness.ts';

/** A configuration with a strategy and a provider at a scripted model. */
async function bench(strategy: string, provider: object) {
  const bench = await Bench.open();
  onTestFinished(() => bench[Symbol.asyncDispose]());
  const { server } = await bench.serve({ script: () => 'Done.', windowTokens: 64_000 });
  const mine = { baseUrl: server.url, apiKey: 'key', models: { scripted: { window: 64_000 } } };
  const config = {
    model: 'mine/scripted',
    context: { compression: { strategy } },
    providers: { mine: { ...mine, ...provider } },
  };
  await writeFile(bench.userFile, JSON.stringify(config));
  return bench;
}

const NO_EFFECT =
  /strategy provider-compaction has no effect with mine\/scripted.*providers\.mine\.driver: native/;

test.each<[string, string, object, boolean]>([
  ['the AI SDK', 'provider-compaction', { kind: 'openai' }, true],
  ['a compatible server', 'provider-compaction', { driver: 'native' }, true],
  [
    'the native driver of a provider that has it',
    'provider-compaction',
    { kind: 'openai', driver: 'native' },
    false,
  ],
  ['another strategy', 'reactive-overflow', { kind: 'openai' }, false],
])('a compaction by the provider with %s', async (_name, strategy, provider, isWarned) => {
  const opened = await bench(strategy, provider);
  const call = (...args: string[]) => opened.call(args);
  const run = await call('run', 'Do it', '--json', '--sandbox', 'local');
  expect(run.code, run.stderr).toBe(0);
  const warnings = eventsOf(run).flatMap((event) =>
    event.type === 'context:warning' ? [event.message] : [],
  );
  expect(warnings).toEqual(isWarned ? [expect.stringMatching(NO_EFFECT)] : []);
  const { stdout } = await call('doctor');
  if (isWarned) expect(stdout.replaceAll(/\s+/g, ' ')).toMatch(NO_EFFECT);
  else expect(stdout).not.toContain('has no effect');
});
