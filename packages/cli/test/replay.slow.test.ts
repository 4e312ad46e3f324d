import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Bench, linesOf } from './harness.ts';

/** A recorded session larger than any window here: long talk, and a name that comes back at the end. */
function recorded(): string {
  const messages: object[] = [{ role: 'user', content: 'Find out why retryAfter is ignored.' }];
  for (let index = 0; index < 24; index += 1) {
    const args = JSON.stringify({ pattern: index === 23 ? 'retryAfter' : `other${index}` });
    const call = { id: `c${index}`, type: 'function', function: { name: 'grep', arguments: args } };
    messages.push({ role: 'assistant', content: 'I look on, and on. '.repeat(200), tool_calls: [call] });
    messages.push({ role: 'tool', tool_call_id: `c${index}`, content: 'nothing here '.repeat(100) });
  }
  return JSON.stringify(messages);
}

async function benchWithSessions(): Promise<Bench> {
  const bench = await Bench.open();
  await mkdir(join(bench.workspace, 'sessions'));
  await writeFile(join(bench.workspace, 'sessions', 'one.json'), recorded());
  return bench;
}

describe('longhaul replay without a path', () => {
  it('finds the sessions of agents on this machine, and measures the newest', async () => {
    await using bench = await Bench.open();
    const folder = join(bench.home, '.claude', 'projects', '-home-dev-shop');
    await mkdir(folder, { recursive: true });
    const text = 'I look on, and on. '.repeat(2_000);
    const rows = [
      { type: 'user', uuid: 'a', sessionId: 's', message: { role: 'user', content: 'Look.' } },
      { type: 'assistant', uuid: 'b', sessionId: 's', message: { id: 'm1', content: text } },
      { type: 'assistant', uuid: 'c', sessionId: 's', message: { id: 'm2', content: 'Done.' } },
    ];
    await writeFile(join(folder, 'one.jsonl'), rows.map((row) => JSON.stringify(row)).join('\n'));
    const { code, stdout, stderr } = await bench.run(['replay', '--window', '4000']);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'Found 1 recorded session on this machine: Claude Code 1. All are replayed.\n',
    });
    expect(stdout).toContain('one.jsonl');
  });

  it('says where it searched if there is none', async () => {
    await using bench = await Bench.open();
    const { code, stdout, stderr } = await bench.run(['replay']);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toContain('No recorded session was found on this machine.');
    expect(stderr).toContain(join(bench.home, '.codex', 'sessions'));
  });
});

describe('longhaul replay --against-recorded', () => {
  it('compares the summary of the recorded agent with our ledger of the same size', async () => {
    await using bench = await Bench.open();
    const call = (id: string, input: object) => ({
      type: 'assistant',
      message: { id, content: [{ type: 'tool_use', id, name: 'Read', input }] },
    });
    const user = (content: unknown) => ({ type: 'user', message: { role: 'user', content } });
    const rows = [
      user('Find retryAfterSeconds.'),
      call('c1', { file_path: 'src/client.ts' }),
      user([{ type: 'tool_result', tool_use_id: 'c1', content: 'const retryAfterSeconds = 3;' }]),
      { ...user('The work is about a client. '.repeat(40)), isCompactSummary: true },
      call('c2', { pattern: 'retryAfterSeconds' }),
    ];
    const lines = rows.map((row, number) => JSON.stringify({ ...row, uuid: `u${number}`, sessionId: 's' }));
    await writeFile(join(bench.workspace, 'one.jsonl'), lines.join('\n'));
    const flags = ['replay', 'one.jsonl', '--against-recorded', '--strategy', 'reactive-overflow'];
    const { code, stdout } = await bench.run(flags);
    expect(code).toBe(0);
    expect(stdout).toMatch(/claude-code +1 +\d+ +1 +0\.0% +100\.0%/);
    const json = await bench.run([...flags, '--json']);
    expect(JSON.parse(linesOf(json.stdout).at(-1) ?? '').againstRecorded).toMatchObject({
      compactions: 1,
      needed: 1,
      recordedSeen: 0,
      ownSeen: 1,
    });
  });
});

describe('longhaul replay --view-command', () => {
  it('measures a program beside the strategies, and reports one that fails', async () => {
    await using bench = await benchWithSessions();
    await writeFile(
      join(bench.workspace, 'keep.mjs'),
      `let text = '';
for await (const piece of process.stdin) text += piece;
console.log(JSON.stringify({ messages: JSON.parse(text).messages.slice(-4) }));`,
    );
    const node = `"${process.execPath}"`;
    const good = `${node} keep.mjs`;
    const flags = ['replay', 'sessions', '--window', '8000', '--strategy', 'reactive-overflow', '--probes'];
    const { code, stdout, stderr } = await bench.run([...flags, '--view-command', good]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain('Planted details, window 8k');
    const bad = await bench.run([
      ...flags,
      '--json',
      '--view-command',
      good,
      '--view-command',
      'sh -c "exit 7"',
    ]);
    expect(bad.code).toBe(1);
    expect(bad.stderr).toMatch(/one\.json, window 8000: The view command ended with exit code 7/);
    const { strategies } = JSON.parse(linesOf(bad.stdout).at(-1) ?? '');
    expect(strategies['command: sh -c "exit 7"'].neededFacts).toBe(0);
    expect(strategies[`command: ${good}`].neededFacts).toBe(1);
    expect(strategies['reactive-overflow'].probes.kinds.decision.asked).toBeGreaterThan(0);
  });
});

describe('longhaul replay', () => {
  it('prints a table for each window, with a star at the best value of each column', async () => {
    await using bench = await benchWithSessions();
    const { code, stdout, stderr } = await bench.run([
      'replay',
      'sessions',
      '--window',
      '8000,16000',
      '--baselines',
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/Window 8k: 1 session, 24 steps, \d+ far facts?\n/);
    expect(stdout).toContain('Window 16k:');
    expect(linesOf(stdout).find((line) => line.includes('reactive-overflow'))).toMatch(/ 0\* /);
  });

  it('ends with one line of totals, per window if there are several', async () => {
    await using bench = await benchWithSessions();
    const one = await bench.run(['replay', 'sessions', '--window', '8000', '--strategy', 'all', '--json']);
    const totals = JSON.parse(linesOf(one.stdout).at(-1) ?? '');
    expect(Object.keys(totals)).toEqual(['strategies', 'formats']);
    expect(totals.strategies['reactive-overflow']).toEqual({
      farRecall: 1,
      groundedRecall: 1,
      recall: 1,
      overflows: 0,
      sentTokens: expect.any(Number),
      costTokens: expect.any(Number),
      compactions: expect.any(Number),
      meanFarRecall: 1,
      farFacts: 1,
      farSeen: 1,
      farGrounded: 1,
      neededFacts: 1,
      neededSeen: 1,
    });
    expect(totals.formats).toEqual({ 'chat-messages': { strategies: totals.strategies } });
    expect(JSON.parse(linesOf(one.stdout)[0] ?? '')).toMatchObject({
      format: 'chat-messages',
      windows: { 8000: { strategies: totals.strategies } },
    });
    const two = await bench.run(['replay', 'sessions', '--window', '8000,16000', '--json']);
    const { windows } = JSON.parse(linesOf(two.stdout).at(-1) ?? '');
    expect(Object.keys(windows)).toEqual(['8000', '16000']);
    expect(windows['8000']).toEqual(totals);
  });

  it('reports why a file cannot be replayed, replays the others, and exits with 1', async () => {
    await using bench = await benchWithSessions();
    await writeFile(join(bench.workspace, 'sessions', 'empty.jsonl'), '');
    const { code, stdout, stderr } = await bench.run([
      'replay',
      'sessions',
      'nowhere.json',
      '--window',
      '8000',
    ]);
    expect(code).toBe(1);
    expect(linesOf(stderr)).toEqual([
      expect.stringMatching(/nowhere\.json: does not exist/),
      expect.stringMatching(/empty\.jsonl: .*empty/),
    ]);
    expect(stdout).toContain('one.json');
  });

  it('writes a page with all results', async () => {
    await using bench = await benchWithSessions();
    await bench.run(['replay', 'sessions', '--window', '8000', '--html', 'page.html']);
    expect(await readFile(join(bench.workspace, 'page.html'), 'utf8')).toContain('reactive-overflow');
  });

  it('uses the named model for narratives, and counts their cost', async () => {
    await using bench = await benchWithSessions();
    const { server, flags } = await bench.serve({ script: () => 'The search goes on.' });
    const price = 'price: { input: 1, output: 1 }';
    await writeFile(
      bench.userFile,
      `providers:\n  local: { kind: openai-compatible, baseUrl: "${flags[3]}", models: { scripted: { window: 16000, ${price} } } }\n`,
    );
    const run = (...more: string[]) =>
      bench.run(['replay', 'sessions', '--window', '8000', '--json', ...more]);
    const lastOf = ({ stdout }: { stdout: string }) => JSON.parse(linesOf(stdout).at(-1) ?? '');
    const costOf = (last: ReturnType<typeof lastOf>) => last.strategies['reactive-overflow'].costTokens;
    const told = await run('--narrative', 'local/scripted');
    expect(told.stderr).toMatch(/^Narratives: \d+ written, \$0\.\d+\.\n$/);
    expect(told.code).toBe(0);
    const { narratives } = lastOf(told);
    expect(narratives).toMatchObject({ written: server.requests.length, failed: 0, refused: 0 });
    expect(costOf(lastOf(told))).toBeGreaterThan(costOf(lastOf(await run('--narrative', 'none'))));
    const limited = await run('--narrative', 'local/scripted', '--max-cost', '0.000001');
    expect(limited.code).toBe(1);
    expect(limited.stderr).toContain('Raise --max-cost');
    expect(lastOf(limited).narratives).toMatchObject({ written: 0, costUsd: 0 });
    expect(server.requests).toHaveLength(narratives.written);
  });

  it.each([
    [['x', '--strategy', 'reactive-overflo'], /Did you mean reactive-overflow\?/],
    [['x', '--window', '12'], /at least 1000/],
    [['x', '--window', 'large'], /whole number/],
    [['x', '--workers', '0'], /greater than 0/],
    [['x', '--max-cost', '1'], /name a model with --narrative/],
  ])('refuses %j', async (args, message) => {
    await using bench = await Bench.open();
    const { code, stderr } = await bench.run(['replay', ...args]);
    expect(code).toBe(2);
    expect(stderr).toMatch(message);
  });

  it('loses no line of a long output if the pipe is read late', async () => {
    await using bench = await Bench.open();
    await mkdir(join(bench.workspace, 'many'));
    const names = Array.from({ length: 1_500 }, (_, index) => join(bench.workspace, 'many', `${index}.json`));
    await Promise.all(names.map((name) => writeFile(name, '{}')));
    const running = bench.start(['replay', 'many', '--json']);
    running.child.stdout?.pause();
    await running.warned('No session was found to replay.');
    // All is written by then. In the time that another command takes, one that does not wait for its reader ends.
    await bench.run(['--version']);
    running.child.stdout?.resume();
    const { stdout } = await running.ended;
    expect(linesOf(stdout)).toHaveLength(1_501);
  });
});
