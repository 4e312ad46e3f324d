import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LonghaulEvent } from '@longhaul/protocol';
import { hasToolCall, type Script, type ScriptAnswer } from '@longhaul/scripted-model';
import { describe, expect, it } from 'vitest';
import { Bench, eventsOf, linesOf } from './harness.ts';
import { DOCKER_IMAGE, lacksBubblewrap, lacksDocker } from './machine.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Plays the answers one by one, whatever compactions come between them. */
function play(answers: readonly ScriptAnswer[]): Script {
  let next = 0;
  return ({ asksForSummary }) => {
    if (asksForSummary) return 'The numbers were written and read in part; more of them are to be read.';
    const answer = answers[next];
    next += 1;
    if (answer === undefined) throw new Error(`The script has only ${answers.length} answers`);
    return answer;
  };
}

const call = (name: string, args: Record<string, string | number>, text = '') => ({
  text,
  toolCalls: [{ name, arguments: args }],
});

const LONG_TASK: readonly ScriptAnswer[] = [
  call('bash', { command: 'seq 1000 3000 > numbers.txt' }, 'I write the numbers.'),
  ...[1, 301, 601, 901, 1201].map((offset) => call('read', { path: 'numbers.txt', offset, limit: 300 })),
  call('read', { path: 'dot.png' }, 'Now the picture.'),
  call('bash', { command: 'wc -l < numbers.txt > count.txt && exit 3' }),
  'There are 2001 numbers.',
];

const types = (events: readonly LonghaulEvent[]) => events.map((event) => event.type);

describe.each(
  [
    { sandbox: 'local', lacking: undefined },
    { sandbox: 'bubblewrap', lacking: lacksBubblewrap },
    { sandbox: 'docker', lacking: lacksDocker },
  ].map((each) => ({ ...each, title: [each.sandbox, each.lacking].filter(Boolean).join(': ') })),
)('longhaul run in $title', ({ sandbox, lacking }) => {
  it.skipIf(lacking !== undefined)(
    'completes a task with tools and a picture in a window too small for it',
    async () => {
      await using bench = await Bench.open();
      await writeFile(bench.userFile, `sandbox: { image: '${DOCKER_IMAGE}' }\n`);
      await writeFile(join(bench.workspace, 'dot.png'), Buffer.from(PIXEL, 'base64'));
      const { server, flags } = await bench.serve({ script: play(LONG_TASK), windowTokens: 6_000 });
      const ended = await bench.run(['run', 'Count the numbers', '--json', '--sandbox', sandbox, ...flags]);

      expect(ended.stderr).toBe('');
      expect(ended.code).toBe(0);
      const events = eventsOf(ended);
      const finished = events.findLast((event) => event.type === 'run:finished');
      expect(finished).toMatchObject({
        status: 'completed',
        text: 'There are 2001 numbers.',
        stepCount: LONG_TASK.length,
      });
      expect(finished?.compactions).toBeGreaterThan(0);
      expect(types(events).filter((type) => type === 'context:compressed')).toHaveLength(
        finished?.compactions ?? 0,
      );
      expect(server.overflows).toBe(0);
      expect((await readFile(join(bench.workspace, 'count.txt'), 'utf8')).trim()).toBe('2001');
      const results = events.filter((event) => event.type === 'llm:tool-result');
      expect(results.map((event) => event.success)).toEqual([
        true,
        true,
        true,
        true,
        true,
        true,
        true,
        false,
      ]);
      expect(JSON.stringify(results[6]?.sanitized)).toContain('@blob:');
    },
  );
});

describe('longhaul run --json', () => {
  it('prints only events, numbered and in their order', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ messages }) =>
        hasToolCall(messages, 'bash') ? 'Done.' : call('bash', { command: 'echo hi' }, 'Hm.'),
    });
    const events = eventsOf(await bench.run(['run', 'Say hi', '--json', '--sandbox', 'local', ...flags]));
    expect(types(events).filter((type) => type !== 'llm:tool-progress' && type !== 'files:changed')).toEqual([
      'message:queued',
      'run:started',
      'session:status',
      'message:dequeued',
      'context:usage',
      'llm:thinking',
      'llm:chunk',
      'llm:tool-call',
      'llm:response',
      'llm:tool-result',
      'context:usage',
      'llm:thinking',
      'llm:chunk',
      'llm:response',
      'run:finished',
      'session:status',
    ]);
    const numbers = events.flatMap((event) => event.number ?? []);
    expect(numbers).toEqual(numbers.map((_, index) => index + 1));
    expect(new Set(events.map((event) => event.sessionId)).size).toBe(1);
  });
});

describe('longhaul run', () => {
  it('shows text, calls with outcome, the window and a summary, without colours in a pipe', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ messages }) =>
        hasToolCall(messages, 'bash')
          ? 'All is well.'
          : call('bash', { command: 'echo no >&2; exit 7' }, 'I try it.'),
    });
    const { stdout, code } = await bench.run(['run', 'Try it', '--sandbox', 'local', ...flags]);
    expect(code).toBe(0);
    expect(stdout).not.toContain('\u001b');
    expect(stdout).toMatch(/^task {5}Try it\nmodel {4}openai-compatible\/scripted, window 16k/);
    expect(stdout).toMatch(
      /── 1 ─+ ctx ▓[▓░]{9} +\d+ % +(?:1\.\d|2)k\/16k\nI try it\.\n✗ bash {3}echo no >&2; exit 7 \(exit 7\).*\n {4}no\n/,
    );
    expect(stdout).toMatch(/\nAll is well\.\n─+\nDone in .*\nwork {5}2 steps, 0 compactions\n/);
    expect(stdout).toMatch(/\nsession {2}([0-9a-f-]{36}) {2}longhaul show [0-9a-f]{8}-[0-9a-f]{4}\n$/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
  });

  it('prints only the answer with --quiet', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => 'Forty-two.\n' });
    const ended = await bench.run(['run', '-q', 'What is it?', '--sandbox', 'local', ...flags]);
    expect(ended).toMatchObject({ code: 0, stdout: 'Forty-two.\n', stderr: '' });
  });

  it('reads a task of several lines from standard input, with or without words before it', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: () => 'Read.' });
    const rest = ['--sandbox', 'local', '--quiet', ...flags];
    await bench.run(['run', ...rest], { input: 'First line\nsecond line\n' });
    await bench.run(['run', 'Review', 'this:', '-', ...rest], { input: 'a change\n' });
    await bench.run(['run', 'No input', ...rest], { input: 'not read' });
    const tasks = server.requests.map((request) => request.body?.messages.at(-1)?.content);
    expect(tasks.map((task) => (typeof task === 'string' ? task : JSON.stringify(task)))).toEqual([
      expect.stringContaining('First line\nsecond line'),
      expect.stringMatching(/Review this:\n\n+a change/),
      expect.stringMatching(/No input$|No input"/),
    ]);
  });

  it('continues an earlier session, with its model and its messages', async () => {
    await using bench = await Bench.open();
    const { server, flags } = await bench.serve({ script: () => 'Yes.' });
    await bench.run(['run', 'Remember the word heron', '--sandbox', 'local', ...flags]);
    const baseUrl = flags.slice(2);
    const again = await bench.run([
      'run',
      'Which word?',
      '--session',
      'last',
      '--json',
      '--sandbox',
      'local',
      ...baseUrl,
    ]);
    expect(again.code).toBe(0);
    expect(JSON.stringify(server.requests.at(-1)?.body?.messages)).toContain('heron');
    expect(linesOf((await bench.call(['sessions', '--json'])).stdout)).toHaveLength(1);
  });

  it('retries after an overloaded server, and reports it', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: () => 'Now it works.',
      faults: { 1: { kind: 'status', status: 429, retryAfterMs: 20 } },
    });
    const { stdout, code } = await bench.run(['run', 'Go', '--sandbox', 'local', ...flags]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/↻ [\s\S]+ Try 2 in 0\.\d s\./);
    expect(stdout).toContain('Now it works.');
  });
});

describe('exit codes', () => {
  it('3 at a limit, and finished work is kept', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({ script: () => call('bash', { command: 'echo again' }) });
    const ended = await bench.run([
      'run',
      'Go on for ever',
      '--max-steps',
      '2',
      '--sandbox',
      'local',
      ...flags,
    ]);
    expect(ended.code).toBe(3);
    expect(ended.stdout).toMatch(/Stopped at a limit.*\nThe run stopped at its limit of 2 steps/);
    expect((await bench.call(['show', 'last'])).stdout).toContain('echo again (exit 0)');
  });

  it('3 at the time limit, also while a model call or a command hangs', async () => {
    await using bench = await Bench.open();
    const silent = await bench.serve({ script: () => ({ text: 'Never.', fault: { kind: 'silence' } }) });
    const slow = await bench.serve({ script: () => call('bash', { command: 'sleep 600' }) });
    for (const { flags } of [silent, slow]) {
      const args = ['run', 'Wait', '--max-minutes', '0.01', '--sandbox', 'local', ...flags];
      const ended = await bench.run(args);
      expect(ended.stdout).toMatch(/Stopped at a limit.*\nThe run stopped at its limit of 0\.01 minutes/);
      expect(ended.code).toBe(3);
    }
  });

  it.each(['SIGINT', 'SIGTERM'] as const)(
    '130 after %s: the command is killed, the session kept',
    async (signal) => {
      await using bench = await Bench.open();
      const { flags } = await bench.serve({
        script: () => call('bash', { command: 'echo begun; sleep 600' }, 'I wait.'),
      });
      const running = bench.start(['run', 'Wait', '--json', '--sandbox', 'local', ...flags]);
      await running.saw('"title":"begun"');
      running.child.kill(signal);
      const ended = await running.ended;
      expect(ended.code).toBe(130);
      expect(eventsOf(ended).findLast((event) => event.type === 'run:finished')).toMatchObject({
        status: 'cancelled',
      });
      expect((await bench.call(['sessions'])).stdout).toContain('cancelled');
      expect((await bench.call(['show', 'last'])).stdout).toContain('I wait.');
    },
  );

  it.each(['SIGTERM', 'SIGHUP'] as const)(
    '130 after %s that comes twice, from the closed terminal and from the launcher: the run still ends in the store',
    async (signal) => {
      await using bench = await Bench.open();
      const { flags } = await bench.serve({
        script: () => call('bash', { command: 'echo begun; sleep 600' }),
      });
      const running = bench.start(['run', 'Wait', '--json', '--sandbox', 'local', ...flags]);
      await running.saw('"title":"begun"');
      running.child.kill(signal);
      await running.warned('Stopping');
      running.child.kill(signal);
      const ended = await running.ended;
      expect(ended.code).toBe(130);
      expect(eventsOf(ended).findLast((event) => event.type === 'run:finished')).toMatchObject({
        status: 'cancelled',
      });
    },
  );

  it('130 at once after a second Ctrl-C, without waiting for a command that does not stop', async () => {
    await using bench = await Bench.open();
    const { flags } = await bench.serve({
      script: ({ messages }) =>
        hasToolCall(messages, 'bash')
          ? 'Done.'
          : call('bash', { command: 'trap "" TERM; echo begun; sleep 600; sleep 600' }),
    });
    const running = bench.start(['run', 'Wait', '--json', '--sandbox', 'local', ...flags]);
    await running.saw('"title":"begun"');
    running.child.kill('SIGINT');
    await running.warned('Stopping');
    // While it is stopped, the run cannot end. It reads the signal first when it continues.
    for (const signal of ['SIGSTOP', 'SIGINT', 'SIGCONT'] as const) running.child.kill(signal);
    const ended = await running.ended;
    expect(ended.code).toBe(130);
    expect(ended.stdout).not.toContain('run:finished');
    expect((await bench.call(['sessions'])).stdout).toContain('interrupted');
    // The next run closes the one that was left, and removes what still runs of it.
    const again = await bench.run([
      'run',
      'Go on',
      '--session',
      'last',
      '--json',
      '--sandbox',
      'local',
      ...flags.slice(2),
    ]);
    expect(again.code).toBe(0);
    expect(JSON.stringify((await bench.call(['show', 'last', '--json'])).stdout)).toContain('interrupted');
  });
});
