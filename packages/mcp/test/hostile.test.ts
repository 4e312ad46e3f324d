import { mkdtemp, readFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { answer, calls, testTool, text } from '@longhaul/testing/doubles';
import { processExists } from '@longhaul/testing/machine';
import { describe, expect, it } from 'vitest';
import { SessionServers } from '../src/index.ts';
import { callOnce, hostileServer, openRun, resultsOf, type ServedRun } from './run-with-servers.ts';

const warningsOf = (run: { of(type: 'context:warning'): { message: string }[] }) =>
  run.of('context:warning').map(({ message }) => message);

describe('a server that cannot be used', () => {
  it.each([
    [
      'ends at once',
      hostileServer('ends-at-once'),
      /x cannot be used: ended with exit code 3\. Its last output:\nError: no database/,
    ],
    [
      'lists no tools',
      hostileServer('bad-list'),
      /^The MCP server x sent an answer that MCP does not allow: tools\.0\.name: Invalid[^\n]*$/,
    ],
    ['does not exist', { command: 'no-such-program' }, /There is no program "no-such-program" on the PATH/],
    ['is nowhere', { url: 'http://127.0.0.1:9/mcp' }, /x cannot be used: /],
  ])('is named in a warning, and the run goes on without it, if it %s', async (_, settings, warning) => {
    await using served = await openRun({ x: settings }, [answer('Done.')]);
    expect(await served.run.run('Go')).toMatchObject({ status: 'completed' });
    expect(warningsOf(served.run)).toEqual([expect.stringMatching(warning)]);
    expect(served.driver.requests[0]?.tools).toEqual([]);
  });

  it('can be cancelled while it starts', async () => {
    await using served = await openRun({ x: hostileServer('never-ready') }, [answer('Done.')]);
    const abort = new AbortController();
    const running = served.run.run('Go', { signal: abort.signal });
    await expect.poll(() => served.pool.report(served.run.sessionId)?.[0]?.state.status).toBe('starting');
    abort.abort();
    await expect(running).rejects.toMatchObject({ code: 'cancelled' });
  });
});

describe('the tools of a hostile server', () => {
  it.each([
    ['garbage', 'ok'],
    ['controls', 'before after'],
    ['wrong-result', /^The MCP server x sent an answer that MCP does not allow: content: Invalid[^\n]*$/],
    [
      'too-long',
      /x failed during the call, which may have had its effect: sent a message of more than 32 MiB/,
    ],
    [
      'dies',
      /which may have had its effect: ended with exit code 139\. Its last output:\nSegmentation fault/,
    ],
  ])('give the model a result it can read: %s', async (way, expected) => {
    await using served = await openRun({ x: hostileServer(way) }, callOnce('x_go'));
    expect(await served.run.run('Go')).toMatchObject({ status: 'completed' });
    const [result] = resultsOf(served);
    if (typeof expected === 'string') expect(result).toBe(expected);
    else expect(result).toMatch(expected);
  });

  it('cuts a huge output, and keeps it for recall', async () => {
    await using served = await openRun({ x: hostileServer('huge') }, callOnce('x_go'));
    await served.run.run('Go');
    const [result] = served.run.of('llm:tool-result');
    expect(result).toMatchObject({ success: true, truncated: true, handle: 'm2.0' });
    const shown = resultsOf(served)[0] ?? '';
    expect(shown.length).toBeLessThan(21_000);
    expect(shown).toMatch(/^start .* end/s);
  });

  it('shows small images, and names those that are left out', async () => {
    await using served = await openRun({ x: hostileServer('bomb') }, callOnce('x_go'));
    await served.run.run('Go');
    const [result] = resultsOf(served);
    expect(result?.match(/<image image\/png>/g)).toHaveLength(20);
    expect(result).toContain('left out, because at most 5');
    expect(result).toContain('left out, because no model reads it');
    expect(result).toContain('[5 more images left out]');
  });

  it('ends a call that hangs at its time limit, or when the run is cancelled', async () => {
    const hangs = hostileServer('hangs');
    await using served = await openRun({ x: { ...hangs, timeoutMs: 50 } }, callOnce('x_go'));
    await served.run.run('Go');
    expect(resultsOf(served)[0]).toContain('did not answer within 50 ms');
    await using other = await openRun({ x: hangs }, callOnce('x_go'));
    const abort = new AbortController();
    const running = other.run.run('Go', { signal: abort.signal });
    await expect.poll(() => other.run.of('llm:tool-call')).toHaveLength(1);
    abort.abort();
    expect(await running).toMatchObject({ status: 'cancelled' });
  });

  it('get names that fit all providers and differ from each other and from other tools', async () => {
    const own = testTool('x_read_file', () => text('own'));
    await using served = await openRun({ x: hostileServer('names') }, [answer('Done.')], { tools: [own] });
    await served.run.run('Go');
    const names = served.driver.requests[0]?.tools.map(({ name }) => name) ?? [];
    expect(names).toHaveLength(8);
    expect(new Set(names.map((name) => name.toLowerCase().replaceAll(/[_-]/g, ''))).size).toBe(8);
    for (const name of names) expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/);
  });

  it('are bounded in number and length', async () => {
    const servers = new SessionServers({
      servers: {
        many: hostileServer('many'),
        endless: hostileServer('endless-list'),
        long: hostileServer('long-schema'),
      },
      workspace: '/',
      host: process.env,
      version: '0.0.0',
      maxOutputChars: 1_000,
      deferOver: 1,
    });
    const { signal } = new AbortController();
    const { tools, warnings } = await servers.connect({
      agentTools: [],
      allows: () => true,
      signal,
      usableTokens: 1_000_000,
      countTokens: () => 1,
    });
    await servers.close();
    const of = (server: string) => tools.filter(({ name }) => name.startsWith(server)).length;
    expect([of('many'), of('endless'), of('long')]).toEqual([1000, 200, 1]);
    expect(warnings).toEqual([
      'Only the first 200 tools of endless are used.',
      'The tool long of long is left out: its schema is too long.',
    ]);
  });

  it('stay the same until a compaction, also if the server says that they have changed', async () => {
    await using served = await openRun(
      { x: hostileServer('renames') },
      [
        calls({ name: 'fill' }),
        calls({ name: 'x_old' }),
        calls({ name: 'fill' }),
        calls({ name: 'compact' }),
        calls({ name: 'x_new' }),
        answer('Done.'),
      ],
      { agentFor: () => ({ tools: compacting(() => served) }) },
    );
    await served.run.run('Go');
    const offered = served.driver.requests.map(({ tools }) => tools.map(({ name }) => name).at(-1));
    expect(offered).toEqual(['x_old', 'x_old', 'x_old', 'x_old', 'x_new', 'x_new']);
    expect(resultsOf(served).at(-1)).toBe('ok');
    // The idle session has what its last run had.
    const { tools } = await served.run.runtime.nextRequestOf(served.run.sessionId);
    expect(tools.map(({ name }) => name)).toEqual(['fill', 'compact', 'x_new']);
  });

  it('are not listed again by a compaction if the server reports no change', async () => {
    const steps = ['fill', 'fill', 'compact', 'fill'].map((name) => calls({ name }));
    await using served = await openRun(
      // A second list would have other names.
      { x: hostileServer('renames') },
      [...steps, answer('Done.')],
      { agentFor: () => ({ tools: compacting(() => served) }) },
    );
    await served.run.run('Go');
    expect(served.run.of('context:compressed')).toHaveLength(1);
    expect(
      served.driver.requests
        .at(-1)
        ?.tools.map(({ name }) => name)
        .at(-1),
    ).toBe('x_old');
  });

  it('may be gone at a call, and are listed again by the next run', async () => {
    await using served = await openRun({ x: hostileServer('renames') }, [
      calls({ name: 'x_old' }),
      answer('Gone.'),
      calls({ name: 'x_new' }),
      answer('Done.'),
    ]);
    await served.run.run('Go');
    await served.run.run('Again');
    expect(resultsOf(served)).toEqual([expect.stringContaining('refused: Unknown tool: old'), 'ok']);
  });
});

describe('the life of a server', () => {
  it('belongs to its session: a later run finds it with its state', async () => {
    const steps = [...callOnce('x_go'), ...callOnce('x_go')];
    await using served = await openRun({ x: hostileServer('counts') }, steps);
    await served.run.run('Go');
    await served.run.run('Again');
    const [first, second] = resultsOf(served).map((result) => result.split(' '));
    expect(second).toEqual([first?.[0], '2']);
  });

  it('begins again after a crash, later each time', async () => {
    const steps = [...Array.from({ length: 3 }, () => calls({ name: 'x_go' })), answer('Done.')];
    await using served = await openRun({ x: hostileServer('dies') }, steps);
    await served.run.run('Go');
    expect(served.pauses).toEqual([500, 1000]);
    expect(resultsOf(served)).toHaveLength(3);
  });

  it('ends with the session, even if the server and its children ignore signals', async () => {
    const file = join(await mkdtemp(join(tmpdir(), 'longhaul-mcp-')), 'pids');
    const served = await openRun({ x: hostileServer('stubborn', file) }, callOnce('x_go'));
    await served.run.run('Go');
    const pids = (await readFile(file, 'utf8')).split(' ').map(Number);
    expect(pids.map(processExists)).toEqual([true, true]);
    await served[Symbol.asyncDispose]();
    await expect.poll(() => pids.map(processExists)).toEqual([false, false]);
  });
});

/** Tools that fill the window, and that compact it before the next step. */
function compacting(served: () => ServedRun) {
  return [
    testTool('fill', () => text('some words of a file\n'.repeat(500))),
    testTool('compact', async () => {
      const { run } = served();
      await run.runtime.compact(run.sessionId);
      return text('The compaction follows.');
    }),
  ];
}
