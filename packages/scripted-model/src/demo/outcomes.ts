import { callsOf, commandResult, type Seen, type SeenCall, type SeenStep } from './seen.ts';

/**
 * Returns the end of the last failed result of a step, or undefined if no call failed or the results are cleared from
 * the view.
 */
export function failureOf(step: SeenStep | undefined): string | undefined {
  return step?.calls.filter(hasFailed).at(-1)?.result.slice(-1500);
}

/** Judges a result by its exit code and its first line, because other content, such as a file, can mention errors. */
function hasFailed({ name, result }: SeenCall): boolean {
  if (/\binterrupted\b.*\bunknown\b|outcome is unknown/i.test(result.slice(0, 300))) return true;
  if (name === 'bash') return (exitCode(result) ?? (hasFailingTests(result) ? 1 : 0)) !== 0;
  if (name === 'task') return /^\W*The task did not complete|could not finish/.test(result);
  if (name !== 'write' && name !== 'edit') return false;
  const line = result.split('\n')[0] ?? '';
  if (/^\W*(edited|created|overwrote|wrote|updated|replaced)/i.test(line)) return false;
  // A repeated edit, after a crash hid the outcome of the first one.
  if (/already (?:applied|made|there|in|present)|there already/i.test(result)) return false;
  return REFUSAL.test(line);
}

const REFUSAL =
  /^\W*(error|refused|failed|cannot|nothing)|not found|does not|ambiguous|\bno match|\b\d+ (times|places|matches)\b|is a folder|outside|read-only|is full/i;

/** Returns the last exit code in the result: `[exit code 1]`, `exit code: 1`, `exited with 1`. */
function exitCode(result: string): number | undefined {
  const stated = [...result.matchAll(/\bexit(?:ed)?(?: with)?(?: code| status)?[:= ]+(-?\d+)/gi)].at(-1);
  if (stated !== undefined) return Number(stated[1]);
  return /timed out|killed by|sandbox failed|cancelled:/i.test(result.slice(-400)) ? 1 : undefined;
}

function hasFailingTests(result: string): boolean {
  return (testCounts(result)?.failed ?? 0) > 0;
}

/** Returns the totals of `node --test`, from its default output or from TAP. */
export function testCounts(result: string): { passed: number; failed: number } | undefined {
  const passed = /^\W*pass (\d+)$/m.exec(result)?.[1];
  const failed = /^\W*fail (\d+)$/m.exec(result)?.[1];
  return passed === undefined || failed === undefined
    ? undefined
    : { passed: Number(passed), failed: Number(failed) };
}

/** Returns why the application cannot be built with the sandbox's Node, or undefined if it can. */
export function nodeProblem(seen: Seen): string | undefined {
  const result =
    callsOf(seen, 'bash').find((call) => call.input['command'] === 'node --version')?.result ?? '';
  const major = /\bv(\d+)\.\d+/.exec(result)?.[1];
  if (major !== undefined && Number(major) >= 24) return undefined;
  return `The task needs Node.js 24, and the sandbox has ${major === undefined ? 'no working one' : `version ${major}`}. I have built nothing. \`node --version\` printed:\n\n${result}`;
}

/** Whether a compaction has hidden the first step, the look around. */
export function isPastHidden(seen: Seen): boolean {
  return callsOf(seen, 'list').length === 0;
}

/** Returns the names of failed tests in the output of `node --test`, in its default form or as TAP. */
function failedTests(output: string): string[] {
  const names = [...output.matchAll(/^\s*(?:✖|not ok \d+ -) (.+?)(?: \([\d.]+ms\))?$/gm)].map(
    (match) => match[1] ?? '',
  );
  return [...new Set(names)].filter((name) => name !== '' && !/^(failing tests:|test\/|\d)/.test(name));
}

/** Describes the failures in the last visible run of a test command in one sentence. */
export function describeFailures(seen: Seen, command: string): string {
  const output = commandResult(seen, command) ?? '';
  const [first] = failedTests(output);
  const failed = testCounts(output)?.failed ?? 0;
  if (first === undefined) return 'The tests found a defect.';
  return failed > 1 ? `${failed} tests fail; the first one is "${first}".` : `"${first}" fails.`;
}

/** Returns a handle from the results of `recall`, preferably that of a command's output. */
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
