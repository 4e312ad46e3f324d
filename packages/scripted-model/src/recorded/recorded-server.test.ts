import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { type AnswerFormat, readRecordedAnswers } from './recorded-answers.ts';
import { createRecordedServer } from './recorded-server.ts';

const chat = (id: string, content: string, finish: string | null = null) =>
  JSON.stringify({ id, choices: [{ index: 0, delta: { content }, finish_reason: finish }] });
const google = (id: string, text: string) =>
  JSON.stringify({ responseId: id, candidates: [{ content: { parts: [{ text }] }, finishReason: 'STOP' }] });
const START = '{"type":"message_start","message":{"id":"m"}}';
const STOP = '{"type":"message_stop"}';
const CREATED = '{"type":"response.created","response":{"id":"r"}}';
const COMPLETED = '{"type":"response.completed","response":{"id":"r"}}';

it.each<[string, AnswerFormat, string, string[]]>([
  [
    'Chat Completions',
    'chat',
    [chat('a', 'One'), chat('a', '', 'stop')].join('\n'),
    [`data: ${chat('a', 'One')}\n\ndata: ${chat('a', '', 'stop')}\n\ndata: [DONE]\n\n`],
  ],
  [
    'Chat Completions, two answers',
    'chat',
    [chat('a', 'One', 'stop'), chat('b', 'Two', 'stop')].join('\n'),
    [
      `data: ${chat('a', 'One', 'stop')}\n\ndata: [DONE]\n\n`,
      `data: ${chat('b', 'Two', 'stop')}\n\ndata: [DONE]\n\n`,
    ],
  ],
  [
    'Anthropic, two answers',
    'anthropic',
    [START, STOP, START, STOP].join('\n'),
    Array(2).fill(`event: message_start\ndata: ${START}\n\nevent: message_stop\ndata: ${STOP}\n\n`),
  ],
  [
    'Responses',
    'responses',
    `${CREATED}\n${COMPLETED}\n`,
    [`event: response.created\ndata: ${CREATED}\n\nevent: response.completed\ndata: ${COMPLETED}\n\n`],
  ],
  ['Google', 'google', google('a', 'One'), [`data: ${google('a', 'One')}\n\n`]],
])('reads events as JSON lines: %s', (_name, format, text, streams) => {
  expect(readRecordedAnswers(text, 'file')).toEqual(streams.map((stream) => ({ format, stream })));
});

it('keeps a stream byte for byte, with comments, odd line ends and malformed events', () => {
  const stream = `: hello\r\n\r\ndata: {"choices":[{"delta":{}}]}\r\n\r\ndata: {"broken\r\n\r\ndata: [DONE]\r\n\r\n`;
  expect(readRecordedAnswers(stream, 'file')).toEqual([{ format: 'chat', stream }]);
});

it('splits a stream of several answers', () => {
  const first = `data: ${chat('a', 'One')}\n\ndata: [DONE]\n\n`;
  const second = `data: ${chat('b', 'Two')}\n\n`;
  expect(readRecordedAnswers(first + second, 'file').map(({ stream }) => stream)).toEqual([first, second]);
});

it.each(['', 'Hello.', '[1]'])('refuses the file %j', (text) => {
  expect(() => readRecordedAnswers(text, 'answer.sse')).toThrow(/answer\.sse.*(JSON object|Expected)/);
});

it('plays the answers in order and repeats the last, on any path', async () => {
  const answers = readRecordedAnswers([START, STOP, START.replace('"m"', '"n"'), STOP].join('\n'), 'file');
  await using server = await createRecordedServer({ answers });
  const ask = async (path: string) =>
    (await fetch(`${server.url}${path}`, { method: 'POST', body: path })).text();
  const streams = answers.map(({ stream }) => stream);
  expect(await ask('/messages')).toBe(streams[0]);
  expect(await ask('/chat/completions')).toBe(streams[1]);
  expect(await ask('/responses')).toBe(streams[1]);
  expect(server.requests).toEqual(['/messages', '/chat/completions', '/responses']);
});

function command(...args: string[]) {
  const main = fileURLToPath(new URL('../main.ts', import.meta.url));
  const child = spawn(process.execPath, ['--conditions=longhaul-src', main, ...args]);
  onTestFinished(() => void child.kill());
  return child;
}

it('is a command that prints its address', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'answer.sse');
  await writeFile(file, `data: ${START}\n\ndata: ${STOP}\n\n`);
  const child = command('--play', file);
  const [line] = await once(child.stdout.setEncoding('utf8'), 'data');
  expect(line).toContain('Playing 1 recorded answer (anthropic) at http://127.0.0.1:');
  const url = /baseUrl: ([^,\s]+)/.exec(line)?.[1];
  expect(await (await fetch(`${url}/messages`, { method: 'POST', body: '{}' })).text()).toContain(
    'message_stop',
  );
});

async function ended(...args: string[]) {
  const child = command(...args);
  const text = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (piece: string) => (text.out += piece));
  child.stderr.setEncoding('utf8').on('data', (piece: string) => (text.err += piece));
  const [code] = await once(child, 'close');
  return { code, ...text };
}

it('is a command that explains itself', async () => {
  expect(await ended('--help')).toMatchObject({
    code: 0,
    out: expect.stringContaining('--play FILE'),
    err: '',
  });
});

it('names each mistake of its command line', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'recorded-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'answer.sse');
  await writeFile(file, `data: ${START}\n\n`);
  const fifo = join(folder, 'fifo');
  execFileSync('mkfifo', [fifo]);
  await using server = await createRecordedServer({ answers: [] });
  const rows: [string[], RegExp][] = [
    [[], /No file to play.*--help/s],
    [['--bogus'], /Unknown option '--bogus'.*--help/s],
    [['--play', join(folder, 'missing')], /missing does not exist/],
    [['--play', folder], /is a folder/],
    [['--play', fifo], /fifo is not a regular file/],
    [['--play', file, '--port', '70000'], /from 0 to 65535, not "70000"/],
    [['--play', file, '--port', String(server.port)], /Port \d+ is in use/],
  ];
  const results = await Promise.all(rows.map(([args]) => ended(...args)));
  for (const [index, { code, err }] of results.entries()) {
    expect(err).toMatch(rows[index]?.[1] ?? /never/);
    expect(err).not.toContain('Unexpected failure');
    expect(code).toBe(2);
  }
});
