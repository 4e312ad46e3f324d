import { parseArgs } from 'node:util';
import { runFuzz } from './run-fuzz.ts';

const HELP = `npm run fuzz -- [--requests 5000] [--seed N] [--json]

Sends requests to a real longhaul serve: made from its OpenAPI document, most of them valid and with names of sessions, messages, approvals and blobs
that exist. The exit code is 1 if an answer has a status of 500 or more or is missing, if /healthz does not answer, if a run is left, or if
the server prints an error.`;

const { values } = parseArgs({
  options: {
    requests: { type: 'string', default: '5000' },
    seed: { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (values.help) {
  console.log(HELP);
  process.exit(0);
}
const requests = positive('requests', values.requests);
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) + 1 : positive('seed', values.seed);
console.error(`Seed ${seed}.`);
const result = await runFuzz({
  requests,
  seed,
  onProgress: (sent) => {
    if (sent % 5_000 === 0) console.error(`${sent} requests`);
  },
});
if (values.json) console.log(JSON.stringify(result));
else console.log(summaryOf());
const { failures, unhealthy, leftRunning, logged } = result;
process.exitCode = failures.length + unhealthy + leftRunning + logged.length === 0 ? 0 : 1;

function summaryOf(): string {
  const counts = new Map<string, number>();
  for (const byStatus of Object.values(result.statuses)) {
    for (const [status, count] of Object.entries(byStatus))
      counts.set(status, (counts.get(status) ?? 0) + count);
  }
  return [
    `${result.sent} requests, ${result.runs} runs ended.`,
    `Statuses: ${[...counts].map(([status, count]) => `${status}: ${count}`).join(', ')}.`,
    `Failures: ${failuresOf()}`,
    `/healthz: ${result.unhealthy} unanswered, the longest took ${Math.round(result.longestHealthMs)} ms.`,
    `Left running: ${result.leftRunning}. Errors in the log: ${result.logged.length}.`,
    ...result.logged,
  ].join('\n');
}

function failuresOf(): string {
  return result.failures.length === 0 ? 'none.' : `\n${result.failures.join('\n')}`;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isInteger(value) && value > 0) return value;
  console.error(`--${name} must be a whole number above 0, got "${text}".`);
  process.exit(2);
}
