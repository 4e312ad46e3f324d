import { parseArgs } from 'node:util';
import type { Defect } from './checks/defect.ts';
import type { LifeOutcome } from './drive/run-life.ts';
import { closingFamilyLines, familySummaryOf } from './family/family-report.ts';
import { runFamilies } from './family/run-families.ts';
import { nodesSummary, tortureNodes } from './nodes/torture-nodes.ts';
import { closingLines, commandLine, defectLine, isClean, lifeLine, summaryOf } from './report.ts';
import { runTorture } from './run-torture.ts';

const HELP = `npm run torture -- [--kills 200] [--seed N] [--minutes M] [--sessions 3] [--children | --nodes 3] [--json]

Real processes drive long scripted sessions and are killed with SIGKILL at random times and at every named fault point. After each kill
another process resumes the session. Some are stopped with SIGSTOP until another process has taken their session, and the clock they see is
set. Beside them, longhaul import, fork, compact, gc, revert and unrevert run and are killed. The stored data is checked against records of the
model server, the tools, the senders and the network.
With --children, the sessions are families instead: a parent, its children and theirs. No result of a child may be lost or be delivered twice, no
child may be started twice or be left running, and no call that waits for a child may have an unknown outcome.
With --nodes N, the sessions are driven by N servers with one PostgreSQL database (--storage postgres). Servers are killed, stopped and suspended,
and the database is killed.
The last line of --json contains the number of defects of each kind. The exit code is 1 if there are defects.`;

const { values } = parsed();

if (values.help) {
  console.log(HELP);
  process.exit(0);
}

const wanted = positive('kills', values.kills);
const sessions = positive('sessions', values.sessions);
const seed = values.seed === undefined ? Math.floor(Math.random() * 1e6) + 1 : positive('seed', values.seed);
const begun = performance.now();
let kills = 0;
const print = values.json ? console.error : console.log;
print(`Seed ${seed}.`);
const minutes = values.minutes === undefined ? undefined : positive('minutes', values.minutes);
const options = { kills: wanted, seed, sessions, minutes, onLife };
process.exitCode = (await tortured()) ? 0 : 1;

function tortured(): Promise<boolean> {
  if (values.nodes !== undefined) return tortureServers(positive('nodes', values.nodes));
  return values.children ? tortureFamilies() : tortureSessions();
}

/** Returns whether there is no defect. */
async function tortureSessions(): Promise<boolean> {
  const result = await runTorture({
    ...options,
    onCommand(session, line, defects) {
      if (line.end === 'killed') kills += 1;
      print(commandLine(session, line, kills));
      for (const defect of defects) print(`      ${defectLine(defect)}`);
    },
  });
  for (const line of closingLines(result, { seed, seconds: seconds() })) print(line);
  if (values.json) console.log(JSON.stringify(summaryOf(result)));
  return isClean(result);
}

async function tortureFamilies(): Promise<boolean> {
  const result = await runFamilies(options);
  for (const line of closingFamilyLines(result, { seed, seconds: seconds() })) print(line);
  if (values.json) console.log(JSON.stringify(familySummaryOf(result)));
  return isClean(result);
}

async function tortureServers(nodes: number): Promise<boolean> {
  const result = await tortureNodes({ ...options, nodes, onEvent: print });
  for (const each of result.defects) print(defectLine(each));
  const summary = nodesSummary(result);
  print(
    `${summary.kills} kills, ${summary.tasks} tasks, ${summary.effects} effects, ${Math.round(seconds())} s.`,
  );
  if (values.json) console.log(JSON.stringify(summary));
  return isClean(result);
}

function onLife(session: string, outcome: LifeOutcome, defects: readonly Defect[]): void {
  if (outcome.end === 'killed') kills += 1;
  print(lifeLine(session, outcome, kills));
  for (const defect of defects) print(`      ${defectLine(defect)}`);
}

function seconds(): number {
  return (performance.now() - begun) / 1000;
}

function positive(name: string, text: string): number {
  const value = Number(text);
  if (Number.isFinite(value) && value > 0) return value;
  console.error(`--${name} must be a number above 0, got "${text}".`);
  process.exit(2);
}

/** Parses the command line. Reports an unknown option with the usage line and exits with code 2. */
function parsed() {
  try {
    return parseArgs({
      options: {
        kills: { type: 'string', default: '200' },
        seed: { type: 'string' },
        minutes: { type: 'string' },
        sessions: { type: 'string', default: '3' },
        children: { type: 'boolean', default: false },
        nodes: { type: 'string' },
        storage: { type: 'string', default: 'postgres' },
        json: { type: 'boolean', default: false },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
  } catch (error) {
    const [reason = ''] = (error instanceof Error ? error.message : String(error)).split('. ');
    console.error(`${reason}.\n${HELP.split('\n')[0]}`);
    process.exit(2);
  }
}
