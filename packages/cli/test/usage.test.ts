import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { openSqliteStore } from '@longhaul/storage/sqlite';
import { usageOf } from '@longhaul/testing/doubles';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Bench } from './harness.ts';

let bench: Bench;

beforeEach(async () => {
  bench = await Bench.open();
});
afterEach(() => bench[Symbol.asyncDispose]());

async function recorded(): Promise<string> {
  const path = join(bench.root, 'usage.db');
  await writeFile(
    bench.userFile,
    `storage: { url: "sqlite:${path}" }\nbudgets: { day: { costUsd: 50 }, tokenDay: { tokens: 20000 } }\n`,
  );
  await using store = await openSqliteStore({ path });
  const call = { model: 'p/big', calls: 1, usage: usageOf(1_500, 500), costUsd: 1.25 };
  await store.recordUsage({ ...call, sessionId: 's1', owner: 'ann' });
  const last = await store.recordUsage({ ...call, model: 'p/new', owner: 'admin', costUsd: undefined });
  return last.today;
}

describe('longhaul usage', () => {
  it('prints what was used, by what is asked for, and the budgets', async () => {
    const today = await recorded();
    const { stdout, code } = await bench.call(['usage']);
    expect(code).toBe(0);
    expect(stdout.split('\n')).toEqual([
      'day         calls  input  cached  output   cost',
      `${today}      2     3k       0      1k  $1.25`,
      'total           2     3k       0      1k  $1.25',
      'The price of 2k tokens is unknown. They are not part of the cost.',
      'Budgets:',
      expect.stringMatching(/^ {2}of everybody today: \$1\.25 of \$50, renews at \d{4}-\d\d-\d\d 00:00 UTC$/),
      '',
    ]);
    const byBoth = await bench.call(['usage', '--by', 'token,model', '--json']);
    expect(JSON.parse(byBoth.stdout).rows).toMatchObject([
      { token: 'ann', model: 'p/big', costUsd: 1.25 },
      { token: 'admin', model: 'p/new', unpricedTokens: 2_000 },
    ]);
    const hers = await bench.call(['usage', '--token', 'ann', '--by', 'session']);
    expect(hers.stdout).toMatch(/^session {2}calls/);
    expect(hers.stdout).toContain('of the token today: 2k of 20k tokens, renews at');
  });

  it.each([
    [['--by', 'week'], '--by must be'],
    [['--from', 'yesterday'], '--from must be a day'],
    [['--to', '2026-02-31'], '--to must be a day'],
    [['--limit', '0'], '--limit'],
    [['now'], 'takes no "now"'],
  ])('refuses %j', async (argv, message) => {
    const { code, stderr } = await bench.call(['usage', ...argv]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
  });
});

describe('budgets of a token', () => {
  it('are set with the token or later, and replace those of the configuration', async () => {
    await recorded();
    await bench.call(['token', 'add', 'ann', '--budget-usd', '5', '--budget-tokens-per-day', 'none']);
    expect(JSON.parse((await bench.call(['token', 'budget', 'ann', '--json'])).stdout)).toEqual({
      name: 'ann',
      token: { costUsd: 5 },
      tokenDay: { tokens: null },
    });
    const changed = ['--budget-usd', 'default', '--budget-usd-per-day', '2.5'];
    expect((await bench.call(['token', 'budget', 'ann', ...changed])).stdout.split('\n')).toEqual([
      'The budgets of the token ann:',
      '  in all, in US dollars: as configured (budgets.token.costUsd)',
      '  in all, in tokens: as configured (budgets.token.tokens)',
      '  on a day, in US dollars: 2.5',
      '  on a day, in tokens: no limit',
      'What is spent: longhaul usage --token ann',
      '',
    ]);
    expect((await bench.call(['usage', '--token', 'ann'])).stdout).toContain(
      'of the token today: $1.25 of $2.5, renews at',
    );
    await bench.call(['token', 'revoke', 'ann']);
    expect((await bench.call(['token', 'budget', 'ann'])).stderr).toContain('There is no token ann');
  });

  it.each(['-1', '0', '1e400', 'many', 'NaN', ''])('refuse %j', async (amount) => {
    const { code, stderr } = await bench.call(['token', 'add', 'ann', `--budget-usd=${amount}`]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--budget-usd')]);
  });
});

describe('budgets of the configuration', () => {
  it.each([
    ['negative', '{ session: { costUsd: -1 } }'],
    ['zero', '{ day: { tokens: 0 } }'],
    ['endless', '{ day: { costUsd: .inf } }'],
    ['a string', '{ token: { costUsd: "5" } }'],
    ['misspelt', '{ tokenday: { costUsd: 5 } }'],
  ])('are refused if %s', async (_, budgets) => {
    await writeFile(bench.userFile, `budgets: ${budgets}\n`);
    const { code, stderr } = await bench.call(['sessions']);
    expect([code, stderr]).toEqual([2, expect.stringContaining('budgets')]);
  });
});

describe('a session without a server', () => {
  it('stops at its budget with exit code 3, and resumes with nothing lost when it is raised', async () => {
    const { server, flags } = await bench.serve({ script: () => 'Done.' });
    const where = ['--sandbox', 'local', '--window', '16000', ...flags];
    await writeFile(bench.userFile, 'budgets: { session: { tokens: 1000 } }\n');
    expect((await bench.call(['run', 'First', ...where])).code).toBe(0);
    const asked = server.requests.length;
    const { code, stdout, stderr } = await bench.call([
      'run',
      'Second',
      '--session',
      'last',
      '--quiet',
      ...where,
    ]);
    expect([code, stdout]).toEqual([3, '']);
    expect(stderr).toMatch(
      /The budget of this session is spent: [\d,]+ of 1,000 tokens.*budgets\.session\.tokens/,
    );
    expect(stderr).toContain('To resume: longhaul resume');
    expect(server.requests.length).toBe(asked);
    await writeFile(bench.userFile, 'budgets: { session: { tokens: 100000 } }\n');
    const resumed = await bench.call([
      'resume',
      'last',
      '--quiet',
      '--sandbox',
      'local',
      '--window',
      '16000',
    ]);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'Done.\n']);
    expect(JSON.stringify(server.requests.at(-1))).toContain('Second');
    expect((await bench.call(['usage', '--session', 'last'])).stdout).toContain('of the session: ');
  });
});
