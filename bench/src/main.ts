import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchResult } from './bench-result.ts';
import { formatResult } from './format-result.ts';

interface BenchInput {
  paths: readonly string[];
  compactions: number | undefined;
}

/** All benchmarks by name. Peers are measured in the same run, so that ratios are comparable. */
const BENCHES: Record<string, { about: string; run: (input: BenchInput) => Promise<BenchResult> }> = {
  streaming: {
    about: 'storing streamed deltas in SQLite, compared with only consuming the same stream',
    run: async () => (await import('./streaming.ts')).benchStreaming(),
  },
  drivers: {
    about: 'processor time that each driver adds to a delta, compared with only parsing the same stream',
    run: async () => (await import('./drivers.ts')).benchDrivers(),
  },
  prefix: {
    about:
      'how much of each request is at the beginning of the next one, in 40 steps with a resume on the next day',
    run: async () => (await import('./prefix.ts')).benchPrefix(),
  },
  'system-tokens': {
    about: 'tokens of the built-in prompt and of the schemas of the tools, by model family',
    run: async () => (await import('./system-tokens.ts')).benchSystemTokens(),
  },
  'store-rate': {
    about: 'rows per second of the store, compared with the same statements on node:sqlite',
    run: async () => (await import('./store-rate.ts')).benchStoreRate(),
  },
  cluster: {
    about: 'three servers with one PostgreSQL database: streams, stored steps, reactions, sleeping sessions',
    run: async () => (await import('./cluster.ts')).benchCluster(),
  },
  tokenizers: {
    about: 'counting 1 MB from a cold start, by model family, and unusual inputs compared with prose',
    run: async () => (await import('./tokenizers.ts')).benchTokenizers(),
  },
  files: {
    about:
      'recording a workspace of 10,000 and 50,000 files: unchanged, small edits, first record, restoring; 39 steps with and without',
    run: async () => (await import('./files.ts')).benchFiles(),
  },
  growth: {
    about: 'processor time for n and for 10 n of what must not grow with the square of its input',
    run: async () => (await import('./growth.ts')).benchGrowth(),
  },
  view: {
    about: 'deciding about a request and building its view, in a short and a long session',
    run: async () => (await import('./view-speed.ts')).benchViewSpeed(),
  },
  'gateway-context': {
    about:
      'finding a cached compaction, a large request with a known prefix, and a long chat in a small window',
    run: async () => (await import('./gateway-context.ts')).benchGatewayContext(),
  },
  gateway: {
    about: 'time that the gateway adds to direct requests: first token, pace, a large request',
    run: async () => (await import('./gateway.ts')).benchGateway(),
  },
  cancel: {
    about: 'a cancel from another process, until the last process of a tree of 50 has ended',
    run: async () => (await import('./cancel.ts')).benchCancel(),
  },
  embedded: {
    about:
      'a model inside Longhaul: reading, writing, the second step of 16k tokens, a state from disk; LONGHAUL_LLAMA_SERVER=PROGRAM compares',
    run: async () => (await import('./embedded.ts')).benchEmbedded(),
  },
  queue: {
    about: '10,000 messages for one session, queued by 20 processes at once',
    run: async () => (await import('./queue.ts')).benchQueue(),
  },
  resume: {
    about: 'time and memory from a message to the first request, in a session of 20,000 messages and 200 MB',
    run: async () => (await import('./resume.ts')).benchResume(),
  },
  soak: {
    about:
      'a session of 3,000 compactions: time, memory and database must stay flat; --compactions N for another length',
    run: async ({ compactions }) => (await import('./soak.ts')).benchSoak({ compactions }),
  },
  search: {
    about: 'the tools grep and glob in a tree of 10,000 files, compared with ripgrep alone',
    run: async () => (await import('./search.ts')).benchSearch(),
  },
  'shell-parser': {
    about: "judging random shell lines by Longhaul's parser and tree-sitter's, compared with what bash runs",
    run: async () => (await import('./shell-parser.ts')).benchShellParser(),
  },
  'single-file': {
    about: 'startup time of the single file in the folder binaries, compared with the bundle on Node.js',
    run: async () => (await import('./single-file.ts')).benchSingleFile(),
  },
  startup: {
    about:
      'startup time and memory of the command and of a chat in a pseudo-terminal, compared with `node -e 0`',
    run: async () => (await import('./startup.ts')).benchStartup(),
  },
  strategies: {
    about:
      'facts that context strategies and peers keep of recorded sessions; needs session PATHs or LONGHAUL_TRANSCRIPTS',
    run: async ({ paths }) => (await import('./strategies.ts')).benchStrategies(paths),
  },
  children: {
    about:
      'what exploring stretches of recorded sessions take, and what children would save; needs session PATHs or LONGHAUL_TRANSCRIPTS',
    run: async ({ paths }) => (await import('./children.ts')).benchChildren(paths),
  },
  page: {
    about:
      'the page in Chromium: first load, 200 deltas a second, the end and the scrolling of a session of 10,000 messages',
    run: async () => (await import('./page.ts')).benchPage(),
  },
  'server-requests': {
    about: 'pages of 50,000 sessions, and the time that HTTP adds to the first token',
    run: async () => (await import('./server-requests.ts')).benchServerRequests(),
  },
  'server-idle': {
    about: 'memory of 2,000 readers of an idle event stream',
    run: async () => (await import('./server-idle.ts')).benchServerIdle(),
  },
  'server-streams': {
    about: '200 and more sessions streaming at once over HTTP: delay, loss and memory',
    run: async () => (await import('./server-streams.ts')).benchServerStreams(),
  },
  'server-overload': {
    about: 'how long the list and a message take during a flood of wrong tokens and 500 messages',
    run: async () => (await import('./server-overload.ts')).benchServerOverload(),
  },
  'server-stop': {
    about: 'time that a server with a running command needs to stop beyond its grace time',
    run: async () => (await import('./server-stop.ts')).benchServerStop(),
  },
};

const USAGE = 'npm run bench -- [NAME…] [PATH…] [--json] [--compactions N]';

const { values, positionals, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: {
    json: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
    compactions: { type: 'string' },
  },
});

if (values['help'] === true) {
  const column = Math.max(...Object.keys(BENCHES).map((name) => name.length));
  const lines = Object.entries(BENCHES).map(([name, { about }]) => `  ${name.padEnd(column)}  ${about}`);
  console.log([USAGE, '', ...lines].join('\n'));
  process.exit(0);
}

const isBench = (name: string) => Object.hasOwn(BENCHES, name);
const paths = positionals.filter((name) => !isBench(name) && existsSync(name));
const names = positionals.filter((name) => !paths.includes(name));
const problems = [
  ...tokens.flatMap((token) => (token.kind === 'option' ? (optionProblem(token) ?? []) : [])),
  ...names.filter((name) => !isBench(name)).map((name) => `Unknown benchmark or missing path "${name}".`),
];
if (problems.length > 0) {
  const known = `Benchmarks: ${Object.keys(BENCHES).join(', ')}.\nOptions: --json, --help (describes each benchmark), --compactions N (soak).`;
  console.error([...problems, USAGE, known].join('\n'));
  process.exit(2);
}

for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const result = await bench.run({ paths, compactions: numberOf(values['compactions']) });
  console.log(values['json'] === true ? JSON.stringify(result) : formatResult(result));
  if ((result.broken ?? []).length > 0) process.exitCode = 1;
}

function numberOf(value: string | boolean | undefined): number | undefined {
  return typeof value === 'string' ? Number(value) : undefined;
}

function optionProblem({
  name,
  rawName,
  value,
}: {
  name: string;
  rawName: string;
  value?: string | undefined;
}) {
  if (name === 'compactions')
    return /^[1-9]\d{1,5}$/.test(value ?? '') ? undefined : `${rawName} takes a number from 10.`;
  if (name !== 'json' && name !== 'help') return `Unknown option ${rawName}.`;
  return value === undefined ? undefined : `${rawName} takes no value.`;
}
