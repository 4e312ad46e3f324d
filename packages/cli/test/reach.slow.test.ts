import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { Bench, type Ended, eventsOf, linesOf } from './harness.ts';
import { Play, type Step } from './reach/play.ts';

const CAMERA = fileURLToPath(new URL('../../mcp/test/camera-server.ts', import.meta.url));
const WINDOW = 16_000;

const bash = (command: string, expected: RegExp): Step => ({
  call: { name: 'bash', arguments: { command } },
  expected,
});

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `${from + index}`);

/** Steps with long outputs, of which few fit into the window. */
const filler = (from: number, to: number): Step[] =>
  numbers(from, to).map((number) =>
    bash(
      `echo ${number} >> steps; seq -s ' ' ${number}000 ${number}700`,
      new RegExp(`${number}000 .* ${number}700`),
    ),
  );

/** Counts its connections, and writes its port to a file. */
const serverWith = (file: string) =>
  `FILE=${file} node -e 'let n = 0; const s = require("net").createServer((c) => c.end("answer " + ++n + "\\n")); s.listen(0, "127.0.0.1", () => require("fs").writeFileSync(process.env.FILE, String(s.address().port)))'`;

const startServer = (file: string): Step => ({
  call: { name: 'bash', arguments: { command: serverWith(file), background: true } },
  expected: /runs in the background as m\d+/,
});

const askServer = (file: string, expected: RegExp): Step =>
  bash(
    `until [ -s ${file} ]; do sleep 0.05; done; exec 3<>/dev/tcp/127.0.0.1/$(cat ${file}) && cat <&3`,
    expected,
  );

/** The first server ends with the first kill. The second one starts after both, and is used after compactions. */
const stepsWith = (page: string): readonly Step[] => [
  { call: { name: 'skill', arguments: { name: 'paint' } }, expected: /Use three coats/ },
  { call: { name: 'camera_photo', arguments: {} }, expected: /red door/ },
  { call: { name: 'fetch', arguments: { url: page } }, expected: /Stir the paint/ },
  startServer('port-1'),
  askServer('port-1', /answer 1/),
  ...filler(10, 20),
  bash('echo slow >> steps; while [ ! -e go ]; do sleep 0.05; done', /outcome of this call is unknown/),
  startServer('port-2'),
  askServer('port-2', /answer 1/),
  ...filler(20, 40),
  askServer('port-2', /answer 2/),
];

it('images, skills, hooks and servers survive three compactions and two kills', async () => {
  await using bench = await Bench.open();
  await using page = await servePage(
    '<html><body><article><h1>Paint</h1><p>Stir the paint for two minutes before use.</p></article></body></html>',
  );
  await configure(bench, page.host);
  const steps = stepsWith(`http://${page.host}/paint`);
  const play = new Play(steps);
  const { flags } = await bench.serve({ windowTokens: WINDOW, script: play.script });
  const linesIn = (path: string) => readFile(path, 'utf8').then(linesOf);
  const inWorkspace = (name: string) => linesIn(join(bench.workspace, name));

  const lives = [
    await killed(bench, ['run', 'Paint the door', ...flags], async (output) =>
      output.includes('"context:compressed"'),
    ),
    await killed(bench, ['resume', 'last'], async () => (await inWorkspace('steps')).includes('slow')),
    await bench.run(['resume', 'last', '--json']),
  ];

  const events = lives.flatMap(eventsOf);
  expect(events.filter(({ type }) => type === 'context:compressed').length).toBeGreaterThanOrEqual(3);
  expect(events.findLast(({ type }) => type === 'run:finished')).toMatchObject({ status: 'completed' });
  expect(play.results).toEqual(steps.map(({ expected }) => expect.stringMatching(expected)));
  // Nothing was done twice.
  expect(await linesIn(join(bench.root, 'photos'))).toEqual(['photo']);
  expect(page.requests).toEqual(['/paint']);
  expect(await inWorkspace('steps')).toEqual([...numbers(10, 20), 'slow', ...numbers(20, 40)]);
  expect((await inWorkspace('hooks')).map((line) => JSON.parse(line).tool_use_id)).toEqual(play.ids);
  expect(await callsOfLog(bench)).toEqual(play.ids);
  // Nothing was lost: each compaction has its note, also one between runs.
  await bench.call(['compact', 'last']);
  const { notes, compactions, ends } = await notesOfLog(bench);
  expect(compactions).toBeGreaterThan(3);
  expect(notes).toEqual(Array(compactions).fill(expect.stringContaining('The colour is RAL 3000.')));
  expect(JSON.stringify(play.requests[2])).toContain('data:image/png;base64,');
  // The end of the first server was reported once. Each summary after its start names the second one.
  expect(ends).toEqual([expect.stringContaining('it ended with the run that started it')]);
  const last = JSON.stringify(play.requests.at(-1));
  expect(last).toContain('Running in the background (see process)');
  expect(last).toMatch(/m\d+\.\d+: `FILE=port-2 node/);
  for (const request of play.requests.slice(1).map((messages) => JSON.stringify(messages))) {
    expect(request.match(/Use three coats/g)).toHaveLength(1);
    if (request.includes('Compaction Round')) expect(request).toContain('The colour is RAL 3000.');
  }
}, 240_000);

/** Kills the command with SIGKILL when it is time. */
async function killed(
  bench: Bench,
  args: readonly string[],
  isTime: (output: string) => Promise<boolean>,
): Promise<Ended> {
  const running = bench.start([...args, '--json']);
  const tooEarly = running.ended.then(({ stderr }) =>
    Promise.reject(new Error(`It ended by itself: ${stderr}`)),
  );
  const time = expect.poll(() => isTime(running.output()).catch(() => false), { interval: 10 }).toBe(true);
  await Promise.race([time, tooEarly]);
  tooEarly.catch(() => {});
  running.child.kill('SIGKILL');
  const ended = await running.ended;
  expect(ended.signal).toBe('SIGKILL');
  return ended;
}

interface Exported {
  messages: { metadata?: { synthetic?: string }; parts: { type: string; callId?: string }[] }[];
  marks: { kind: string }[];
}

async function exported(bench: Bench): Promise<Exported> {
  return JSON.parse((await bench.call(['export', 'last'])).stdout) as Exported;
}

/** The notes of hooks and about background commands in the log, as JSON, and how many compactions were made. */
async function notesOfLog(bench: Bench) {
  const { messages, marks } = await exported(bench);
  const noted = (reason: string) =>
    messages.filter(({ metadata }) => metadata?.synthetic === reason).map((each) => JSON.stringify(each));
  return {
    notes: noted('hook'),
    ends: noted('background'),
    compactions: marks.filter(({ kind }) => kind === 'compaction').length,
  };
}

/** Ids of the calls in the log, each as often as it is there. */
async function callsOfLog(bench: Bench): Promise<string[]> {
  const { messages } = await exported(bench);
  return messages.flatMap(({ parts }) =>
    parts.flatMap(({ type, callId = '' }) => (type === 'tool' ? [callId] : [])),
  );
}

async function configure(bench: Bench, host: string): Promise<void> {
  const write = async (path: string, text: string) => {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, text);
  };
  await write(
    join(bench.home, '.config/longhaul/skills/paint/SKILL.md'),
    '---\nname: paint\ndescription: Paints doors.\n---\nUse three coats.\n',
  );
  await write(
    bench.userFile,
    JSON.stringify({
      providers: { 'openai-compatible': { models: { scripted: { accepts: { images: true } } } } },
      sandbox: { network: 'on' },
      tools: { fetch: { privateHosts: [host] } },
      mcp: { servers: { camera: { command: process.execPath, args: [CAMERA, join(bench.root, 'photos')] } } },
      hooks: {
        each: { on: 'tool.before', command: "tr -d '\\n' >> hooks; echo >> hooks" },
        keep: { on: 'compaction.before', command: 'echo "The colour is RAL 3000."' },
      },
    }),
  );
}

/** A page on this machine, and the paths that were requested. */
async function servePage(html: string) {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    response.setHeader('Content-Type', 'text/html').end(html);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    requests,
    host: `127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
