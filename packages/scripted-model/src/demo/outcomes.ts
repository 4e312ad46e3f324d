import { callsOf, commandResult, type Seen, type SeenCall, type SeenStep } from './seen.ts';

/** What a step's results say went wrong, undefined when nothing did or when the results are cleared from the view. */
export function failureOf(step: SeenStep | undefined): string | undefined {
  return step?.calls.filter(hasFailed).at(-1)?.result.slice(-1500);
}

/** Judged by exit codes and by how refusals begin: what a tool merely shows may speak of errors without being one. */
function hasFailed({ name, result }: SeenCall): boolean {
  if (/\binterrupted\b.*\bunknown\b|outcome is unknown/i.test(result.slice(0, 300))) return true;
  if (name === 'bash') return (exitCode(result) ?? (hasFailingTests(result) ? 1 : 0)) !== 0;
  if (name !== 'write' && name !== 'edit') return false;
  const line = result.split('\n')[0] ?? '';
  if (/^\W*(edited|created|overwrote|wrote|updated|replaced)/i.test(line)) return false;
  // An edit made again, because a crash hid the outcome of the first.
  if (/stands there already|already (applied|there)/i.test(result)) return false;
  return REFUSAL.test(line);
}

const REFUSAL =
  /^\W*(error|refused|failed|cannot|nothing)|not found|does not|ambiguous|\bno match|\b\d+ (times|places|matches)\b|is a folder|outside|read-only|is full/i;

/** As bash reports it: `[exit code 1]`, `exit code: 1`, `exited with 1`. The last one counts. */
function exitCode(result: string): number | undefined {
  const stated = [...result.matchAll(/\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+(-?\d+)/gi)].at(-1);
  if (stated !== undefined) return Number(stated[1]);
  return /timed out|killed by|sandbox failed|cancelled:/i.test(result.slice(-400)) ? 1 : undefined;
}

function hasFailingTests(result: string): boolean {
  return (testCounts(result)?.failed ?? 0) > 0;
}

/** The totals at the end of `node --test`, in its default form or as TAP. */
export function testCounts(result: string): { passed: number; failed: number } | undefined {
  const passed = /^\W*pass (\d+)$/m.exec(result)?.[1];
  const failed = /^\W*fail (\d+)$/m.exec(result)?.[1];
  return passed === undefined || failed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed) };
}

/** Why the application cannot be built with this sandbox's Node, if so. */
export function nodeProblem(seen: Seen): string | undefined {
  const result =
    callsOf(seen, 'bash').find((call) => call.input['command'] === 'node --version')?.result ?? '';
  const major = /\bv(\d+)\.\d+/.exec(result)?.[1];
  if (major !== undefined && Number(major) >= 24) return undefined;
  return `The task needs Node.js 24, and the sandbox has ${major === undefined ? 'none that answers' : `version ${major}`}. I have built nothing. \`node --version\` said:\n\n${result}`;
}

/** The first look around is the oldest thing done: when it is out of sight, a compaction has hidden the past. */
export function isPastHidden(seen: Seen): boolean {
  return callsOf(seen, 'list').length === 0;
}

/** The names of failed tests in an output of `node --test`, in its default form or as TAP. */
export function failedTests(output: string): string[] {
  const names = [...output.matchAll(/^\s*(?:✖|not ok \d+ -) (.+?)(?: \([\d.]+ms\))?$/gm)].map(
    (match) => match[1] ?? '',
  );
  return [...new Set(names)].filter((name) => name !== '' && !/^(failing tests:|test\/|\d)/.test(name));
}

/** What the last run of a test command in sight found, in a sentence. */
export function describeFailures(seen: Seen, command: string): string {
  const output = commandResult(seen, command) ?? '';
  const [first] = failedTests(output);
  const failed = testCounts(output)?.failed ?? 0;
  if (first === undefined) return 'The tests have found something.';
  return failed > 1 ? `${failed} tests fail, the first of them "${first}".` : `"${first}" fails.`;
}

/** Of what `recall` found, preferably the output of a command. */
export function recalledHandle(seen: Seen): string | undefined {
  const lines =
    callsOf(seen, 'recall')
      .find((call) => 'query' in call.input)
      ?.result.split('\n') ?? [];
  const handles = lines.flatMap((line) => {
    const handle = /\bm\d+\.\d+\b/.exec(line)?.[0];
    return handle === undefined ? [] : [{ handle, isCommand: /\bbash\b|node --test/.test(line) }];
  });
  return (handles.find((each) => each.isCommand) ?? handles[0])?.handle;
}
