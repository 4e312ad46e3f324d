import { fileURLToPath } from 'node:url';
import { createApprovers } from '@longhaul/approvals';
import { loadTokenizer } from '@longhaul/models';
import { answer, calls } from '@longhaul/testing/doubles';
import { describe, expect, it } from 'vitest';
import { callOnce, exampleServer, openRun, resultsOf, type ServedRun } from './run-with-servers.ts';

const large = {
  command: process.execPath,
  args: [fileURLToPath(new URL('large-server.ts', import.meta.url))],
};
const toolsOf = ({ driver }: ServedRun) => driver.requests[0]?.tools.map(({ name }) => name) ?? [];
const pool = { deferOver: 0.1 };

describe('tools whose schemas would take more of the window than mcp.deferOver', () => {
  it('are replaced by two tools and a list of names, of at most 600 tokens', async () => {
    await using served = await openRun({ tracker: large }, [answer('Done.')], { pool });
    await served.run.run('Go');
    expect(toolsOf(served)).toEqual(['find_tools', 'use_tool']);
    const { system = '', tools } = served.driver.requests[0] ?? {};
    const list = system.slice(system.indexOf('# Tools of servers'));
    expect(list).toMatch(/- tracker: tracker_list_issue, tracker_get_issue, .*, and \d+ more$/);
    for (const family of ['o200k', 'qwen', 'llama3'] as const) {
      const { count } = await loadTokenizer(family);
      expect(count(list) + count(JSON.stringify(tools)), family).toBeLessThanOrEqual(600);
    }
  });

  it('are listed with a line each if that is short', async () => {
    await using served = await openRun(
      { every: { ...exampleServer('everything'), tools: ['echo', 'get-sum'] } },
      [answer('Done.')],
      {
        pool: { deferOver: 0 },
      },
    );
    await served.run.run('Go');
    expect(served.driver.requests[0]?.system).toMatch(
      /use_tool\.\n\n- every_echo: Echoes back the input string\n- every_get-sum: Returns the sum of two numbers$/,
    );
  });

  it('are found by words and by names, and called with use_tool', async () => {
    const input = { owner: 'a', repository: 'b' };
    await using served = await openRun(
      { tracker: large },
      [
        calls({ name: 'find_tools', input: { query: 'search the pull requests' } }),
        calls({ name: 'use_tool', input: { name: 'tracker_search_pull_request', input } }),
        calls({
          name: 'use_tool',
          input: { name: 'tracker_search_pull_request', arguments: JSON.stringify(input) },
        }),
        calls({ name: 'tracker_search_pull_request', input }),
        calls({ name: 'find_tools', input: { query: 'tracker_get_team, tracker_get_label' } }),
        calls({ name: 'find_tools', input: { query: 'zzz' } }),
        calls({ name: 'use_tool', input: { name: 'tracker_search_pull_reqest', input } }),
        answer('Done.'),
      ],
      { pool },
    );
    await served.run.run('Go');
    const [found, used, asText, direct, named, nothing, unknown] = resultsOf(served);
    expect(found).toMatch(
      /^tracker_search_pull_request: Search a pull request .*\nParameters: \{"type":"object"/,
    );
    expect(found?.length).toBeLessThan(8_000);
    const expected = 'search_pull_request {"owner":"a","repository":"b"}';
    expect([used, asText, direct]).toEqual([expected, expected, expected]);
    expect(named).toMatch(/^tracker_get_(?:team|label): [\s\S]*\n\ntracker_get_(?:team|label): /);
    expect(nothing).toContain('No tool matches');
    expect(unknown).toContain('Did you mean "tracker_search_pull_request"?');
  });

  it('do not change the system text or the schemas in a session', async () => {
    await using served = await openRun(
      { tracker: large },
      [...callOnce('find_tools', { query: 'team' }), answer('Again.')],
      { pool },
    );
    await served.run.run('Go');
    await served.run.run('Again');
    const fixed = served.driver.requests.map(({ system, tools }) => JSON.stringify([system, tools]));
    expect(new Set(fixed).size).toBe(1);
  });

  it('are judged by the rules for them, not for use_tool', async () => {
    const input = { name: 'tracker_delete_issue', input: {} };
    const rules = [
      { tool: 'use_tool', action: 'allow' as const },
      { tool: 'tracker_delete_*', action: 'deny' as const },
    ];
    await using served = await openRun({ tracker: large }, callOnce('use_tool', input), {
      pool,
      approverFor: createApprovers({ rules, ask: 'deny', timeoutMs: null }),
    });
    await served.run.run('Go');
    expect(resultsOf(served)[0]).toContain('the approval rule for "tracker_delete_*" denies it');
  });
});

it.each([
  ['deferred', { tracker: large }],
  ['shown', { every: exampleServer('everything') }],
])('requests of the idle session have the tools of its last run, if they are %s', async (how, servers) => {
  await using served = await openRun(servers, [answer('Done.')], {
    pool: { deferOver: how === 'shown' ? 1 : 0.1 },
  });
  await served.run.run('Go');
  const sent = served.driver.requests[0];
  const idle = await served.run.runtime.nextRequestOf(served.run.sessionId);
  expect(sent?.tools.length).toBeGreaterThan(1);
  expect(idle.tools).toEqual(sent?.tools);
  expect(idle.system.slice(-300)).toBe(sent?.system.slice(-300));
});
