import { parseArgs } from 'node:util';
import { closingLines, commandLine, defectLine, isClean, lifeLine, summaryOf } from './report.ts';
import { runTorture } from './run-torture.ts';

const HELP = `npm run torture -- [--kills 200] [--seed N] [--minutes M] [--sessions 3] [--json]

Real processes drive long scripted sessions and are killed with SIGKILL at random times and at every named fault point. After each kill
another process resumes the session. Some are stopped with SIGSTOP until another process has taken their session, and the clock they see is
set. Beside them, longhaul import, fork, compact, gc, revert and unrevert run and are killed. The stored data is checked against records of the
model server, the tools, the senders and the network.
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
const result = await runTorture({
  kills: wanted,
  seed,
  sessions,
  minutes: values.minutes === undefined ? undefined : positive('minutes', values.minutes),
  onLife(session, outcome, defects) {
    if (outcome.end === 'killed') kills += 1;
    print(lifeLine(session, outcome, kills));
    for (const defect of defects) print(`      ${defectLine(defect)}`);
  },
  onCommand(session, line, defects) {
    if (line.end === 'killed') kills += 1;
    print(commandLine(session, line, kills));
    for (const defect of defects) print(`      ${defectLine(defect)}`);
  },
});
for (const line of closingLines(result, { seed, seconds: (performance.now() - begun) / 1000 })) print(line);
if (values.json) console.log(JSON.stringify(summaryOf(result)));
process.exitCode = isClean(result) ? 0 : 1;

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
