import { callsOf, type Seen, type SeenCall, type SeenStep } from './seen.ts';

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
  return !/^\W*(edited|created|overwrote|wrote|updated|replaced)/i.test(line) && REFUSAL.test(line);
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
