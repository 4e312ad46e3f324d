import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import type { BenchResult } from './bench-result.ts';
import { formatResult } from './format-result.ts';

/** Every benchmark, by name. Peers run beside us in the same run: only ratios are judged. */
const BENCHES: Record<string, { about: string; run: (paths: readonly string[]) => Promise<BenchResult> }> = {
  streaming: {
    about: 'streamed deltas into SQLite, against the same stream merely consumed',
    run: async () => (await import('./streaming.ts')).benchStreaming(),
  },
  'store-rate': {
    about: 'rows a second of the store, against the same statements made raw',
    run: async () => (await import('./store-rate.ts')).benchStoreRate(),
  },
  tokenizers: {
    about: 'a megabyte counted from a cold start, by model family, and odd inputs against prose',
    run: async () => (await import('./tokenizers.ts')).benchTokenizers(),
  },
  view: {
    about: 'deciding about a request and making its view, in a short session and in a long one',
    run: async () => (await import('./view-speed.ts')).benchViewSpeed(),
  },
  'gateway-context': {
    about: 'finding a kept compaction, a large request that was seen, and a long chat in a small window',
    run: async () => (await import('./gateway-context.ts')).benchGatewayContext(),
  },
  gateway: {
    about: 'what the gateway adds to going to its upstream directly: first token, pace, a large request',
    run: async () => (await import('./gateway.ts')).benchGateway(),
  },
  cancel: {
    about: 'a cancel from another process, until the last of a tree of 50 processes is gone',
    run: async () => (await import('./cancel.ts')).benchCancel(),
  },
  queue: {
    about: '10,000 messages for one session, queued by 20 processes at once',
    run: async () => (await import('./queue.ts')).benchQueue(),
  },
  resume: {
    about: 'from a message to a session of 20,000 messages and 200 MB to its first request: time and memory',
    run: async () => (await import('./resume.ts')).benchResume(),
  },
  startup: {
    about: 'start-up and memory of the command, against `node -e 0`',
    run: async () => (await import('./startup.ts')).benchStartup(),
  },
  strategies: {
    about:
      'what context strategies keep of recorded sessions, beside peers; paths of sessions, or LONGHAUL_TRANSCRIPTS',
    run: async (paths) => (await import('./strategies.ts')).benchStrategies(paths),
  },
  'server-requests': {
    about: 'pages of 50,000 sessions, and what HTTP adds to the first token',
    run: async () => (await import('./server-requests.ts')).benchServerRequests(),
  },
  'server-idle': {
    about: 'memory of 2,000 readers of events in which nothing happens',
    run: async () => (await import('./server-idle.ts')).benchServerIdle(),
  },
  'server-streams': {
    about: '200 sessions and more that stream at once over HTTP: delay, loss and memory',
    run: async () => (await import('./server-streams.ts')).benchServerStreams(),
  },
};

const USAGE = 'npm run bench -- [NAME…] [PATH…] [--json]';

const { values, positionals, tokens } = parseArgs({
  strict: false,
  tokens: true,
  options: { json: { type: 'boolean' }, help: { type: 'boolean', short: 'h' } },
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
  ...names.filter((name) => !isBench(name)).map((name) => `There is no benchmark "${name}".`),
];
if (problems.length > 0) {
  const known = `Benchmarks: ${Object.keys(BENCHES).join(', ')}.\nOptions: --json, --help (what each measures).`;
  console.error([...problems, USAGE, known].join('\n'));
  process.exit(2);
}

for (const [name, bench] of Object.entries(BENCHES)) {
  if (names.length > 0 && !names.includes(name)) continue;
  const result = await bench.run(paths);
  console.log(values['json'] === true ? JSON.stringify(result) : formatResult(result));
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
  if (name !== 'json' && name !== 'help') return `Unknown option ${rawName}.`;
  return value === undefined ? undefined : `${rawName} takes no value.`;
}
