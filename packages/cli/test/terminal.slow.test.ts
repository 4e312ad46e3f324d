import { readdir } from 'node:fs/promises';
import { expect, it } from 'vitest';
import { Bench } from './harness.ts';

const TERMINAL = { terminal: true, env: { TERM: 'xterm-256color' } };
const FLAGS = ['--sandbox', 'local', '--yes'];

const PASTE_ON = '\u001b[?2004h';
const PASTE_OFF = '\u001b[?2004l';

it('restores the terminal at a second Ctrl-C: no paste mode, no status line', async () => {
  await using bench = await Bench.open();
  const hangs = { name: 'bash', arguments: { command: 'trap "" INT TERM; touch begun; sleep 600' } };
  const { flags } = await bench.serve({ script: () => ({ toolCalls: [hangs] }) });
  const running = bench.start(['run', 'Work', ...FLAGS, ...flags], TERMINAL);
  await expect.poll(() => readdir(bench.workspace)).toContain('begun');
  await running.saw('sleep 600');
  running.child.stdin?.write('half\u0003');
  await running.saw('Stopping');
  running.child.stdin?.write('\u0003');
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout.lastIndexOf(PASTE_OFF)).toBeGreaterThan(stdout.lastIndexOf(PASTE_ON));
  const last = stdout.slice(stdout.lastIndexOf('\n') + 1);
  expect(last.slice(last.lastIndexOf('\u001b[K') + 3).replaceAll(PASTE_OFF, '')).toBe('');
});

it('prints the notice of Ctrl-C on its own line while text streams', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({
    script: () => ({ text: `Begun.\n\n${'on '.repeat(500)}`, fault: { kind: 'silence', afterChunks: 30 } }),
  });
  const running = bench.start(['run', 'Talk', ...FLAGS, ...flags], TERMINAL);
  await running.saw('Begun');
  running.child.stdin?.write('\u0003');
  const { code, stdout } = await running.ended;
  expect(code).toBe(130);
  expect(stdout).toMatch(/\u001b\[KStopping; Ctrl-C again ends at once\.\r?\n[\s\S]*\non on /);
});

it('reports the messages that a stopped run left in the queue', async () => {
  await using bench = await Bench.open();
  const hangs = { name: 'bash', arguments: { command: 'touch begun; sleep 600' } };
  const { flags } = await bench.serve({ script: () => ({ toolCalls: [hangs] }) });
  const running = bench.start(['run', 'Work', ...FLAGS, ...flags]);
  await expect.poll(() => readdir(bench.workspace)).toContain('begun');
  await bench.run(['queue', 'last', 'add', 'And this']);
  running.child.kill('SIGINT');
  const { code, stderr } = await running.ended;
  expect(code).toBe(130);
  expect(stderr).toMatch(
    /1 message waits for this session\. To deliver it: longhaul resume \S+ --sandbox local --yes\n/,
  );
});

it('prints the report of waiting messages below text that was typed and not sent', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({
    script: () => ({ text: 'word '.repeat(50), fault: { kind: 'silence', afterChunks: 20 } }),
    chunkChars: 5,
  });
  const env = { TERM: 'xterm-256color' };
  const running = bench.start(['run', 'Work', ...FLAGS, ...flags], { terminal: true, env });
  await running.saw('word word');
  running.child.stdin?.write('Sent\r');
  await running.saw('queued');
  running.child.stdin?.write('not yet');
  await running.saw('not yet');
  running.child.stdin?.write('\u0003');
  const { stdout } = await running.ended;
  expect(stdout).toMatch(/typed and not sent\S*:? not yet\r\n1 message waits for this session/);
});

it('takes the text of a queued message from standard input for -', async () => {
  await using bench = await Bench.open();
  const { flags } = await bench.serve({ script: () => 'Hello.' });
  await bench.run(['run', 'Greet', '--quiet', ...FLAGS, ...flags]);
  const input = 'First line\r\nsecond line\n';
  expect(await bench.run(['queue', 'last', 'add', 'Look at this:', '-'], { input })).toMatchObject({
    code: 0,
  });
  expect(await bench.run(['queue', 'last', 'add', '-'], { input: '' })).toMatchObject({ code: 2 });
  const [message] = JSON.parse((await bench.run(['queue', 'last', '--json'])).stdout);
  expect(message.content).toEqual([{ type: 'text', text: 'Look at this:\n\nFirst line\r\nsecond line' }]);
});

it('offers to send the line that was typed when the run ended, and sends it at Enter', async () => {
  await using bench = await Bench.open();
  const { server, flags } = await bench.serve({
    script: ({ number }) => (number === 1 ? 'word '.repeat(60) : 'Yes.'),
    chunkChars: 5,
    chunkDelayMs: 20,
  });
  const running = bench.start(['run', 'Work', ...FLAGS, ...flags], TERMINAL);
  await running.saw('writing');
  running.child.stdin?.write('And te');
  await running.saw('The run has ended. Enter sends this line');
  expect(server.requests).toHaveLength(1);
  running.child.stdin?.write('sts\r');
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('Yes.');
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain('And tests');
});

it('keeps the line that was typed when the run ended on the screen if it is not sent', async () => {
  await using bench = await Bench.open();
  const { server, flags } = await bench.serve({
    script: () => 'word '.repeat(60),
    chunkChars: 5,
    chunkDelayMs: 20,
  });
  const running = bench.start(['run', 'Work', ...FLAGS, ...flags], TERMINAL);
  await running.saw('writing');
  running.child.stdin?.write('And tests');
  await running.saw('The run has ended.');
  running.child.stdin?.write('\u0003');
  const { code, stdout } = await running.ended;
  expect(code).toBe(0);
  expect(stdout).toContain('! typed and not sent: And tests\r\n');
  expect(server.requests).toHaveLength(1);
});
