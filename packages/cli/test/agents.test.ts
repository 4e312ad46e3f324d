import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const CONFIG = 'agents: { reviewer: { prompt: ./prompts/review.md, tools: [re*, "mcp:*"] } }\n';

it('longhaul run --agent uses the prompt and tools of that agent, and the session keeps it', async () => {
  await using bench = await Bench.open();
  await mkdir(join(bench.workspace, 'prompts'));
  await writeFile(join(bench.workspace, 'prompts', 'review.md'), 'You review, and change nothing.');
  await writeFile(join(bench.workspace, 'longhaul.yml'), CONFIG);
  const seen: { system: unknown; tools: string[] }[] = [];
  const { flags } = await bench.serve({
    script: ({ messages, tools }) => {
      const system = messages.find(({ role }) => role === 'system')?.content;
      seen.push({ system, tools: tools.map((tool) => tool.function.name) });
      return 'Done.';
    },
  });
  const run = (...args: string[]) =>
    bench.call(['run', '--trust', ...args, '--sandbox', 'local', '--quiet', ...flags]);
  expect(await run('Look at it', '--agent', 'reviewer')).toMatchObject({ code: 0, stderr: '' });
  expect(await run('And again', '--session', 'last')).toMatchObject({ code: 0, stderr: '' });
  for (const { system, tools } of seen) {
    expect(system).toMatch(/^You review, and change nothing\.\n\n# Environment\n\nWorkspace: /);
    expect(tools).toEqual(['read', 'recall']);
  }
  expect(seen).toHaveLength(2);
  const refused = await run('Look at it', '--agent', 'reviwer');
  expect(refused).toMatchObject({ code: 2 });
  expect(refused.stderr).toMatch(/No agent is called "reviwer"\. Did you mean "reviewer"\?/);
});

it('longhaul run uses the limits and the strategy of the agent, and flags override them', async () => {
  await using bench = await Bench.open();
  const config =
    'agents: { careful: { context: { compression: { strategy: middle-removal } }, limits: { steps: 2 } } }\n';
  await writeFile(join(bench.workspace, 'longhaul.yml'), config);
  const { flags } = await bench.serve({
    script: () => ({ toolCalls: [{ name: 'list', arguments: { path: '.' } }] }),
  });
  const run = (...args: string[]) =>
    bench.call([
      'run',
      '--trust',
      'Look at it',
      '--agent',
      'careful',
      '--sandbox',
      'local',
      '--quiet',
      ...args,
      ...flags,
    ]);
  const limited = await run();
  expect(limited).toMatchObject({ code: 3 });
  expect(limited.stderr).toMatch(/2 steps/);
  expect((await bench.call(['context', 'last', '--trust', '--json'])).stdout).toContain(
    '"strategy":"middle-removal"',
  );
  expect((await run('--max-steps', '1')).stderr).toMatch(/1 step\b/);
});
