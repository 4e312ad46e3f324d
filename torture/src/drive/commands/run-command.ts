import { once } from 'node:events';
import { type CommandSettings, FAULT_VARIABLE } from '../../agent/settings.ts';
import { type CommandLine, type ReceivedLine, readLines } from '../../records/lines.ts';
import { sessionPaths } from '../../records/paths.ts';
import { trueTime } from '../../records/true-time.ts';
import { startChild } from '../child.ts';
import { type CommandPlan, describeCommand, isRevert } from './command-plan.ts';

/** A command that takes longer is considered hung. */
const HANGS_AFTER_MS = 120_000;

/** Errors of a command that had to give way to the living session or to another command. */
const EXPECTED_ERRORS = ['cancelled', 'session_busy', 'context_exhausted'];

function isExpectedError(kind: CommandPlan['kind'], code: string): boolean {
  // A killed command may have taken the newest revert back; the next one only finishes its work.
  if (kind === 'unrevert' && code === 'not_found') return true;
  // A revert cancels the run first, and a stopped process does not answer.
  return EXPECTED_ERRORS.includes(code) || (isRevert(kind) && code === 'process_hung');
}

/** Runs a command of the program in its own process, and kills it as planned. `error` is the code of its failure. */
export async function runCommand(
  settings: CommandSettings,
  plan: CommandPlan,
  environment: Readonly<Record<string, string>>,
): Promise<CommandLine & { error?: string }> {
  const { kind, fault, killAfterMs } = plan;
  const paths = sessionPaths(settings.folder);
  const startedAt = trueTime();
  const child = await startChild('command-process.ts', settings, {
    ...environment,
    XDG_CONFIG_HOME: paths.configuration,
    ...(fault === undefined ? {} : { [FAULT_VARIABLE]: `${fault.point}:${fault.count}` }),
  });
  // Waits for the first output, so that the time to load the code does not count.
  await Promise.race([child.ended, once(child.process.stdout ?? child.process, 'data')]);
  const kill = setTimeout(() => child.process.kill('SIGKILL'), killAfterMs ?? HANGS_AFTER_MS);
  const { code, signal, output, errors } = await child.ended;
  clearTimeout(kill);
  const last = output.trimEnd().split('\n').at(-1) ?? '';
  const answer = last.startsWith('{') ? JSON.parse(last) : undefined;
  const isExpected = code === 0 || isExpectedError(kind, answer?.error?.code);
  const hung = signal === 'SIGKILL' && killAfterMs === undefined && fault === undefined;
  const notes = readLines<ReceivedLine>(paths.ofCommand(settings.number));
  return {
    number: settings.number,
    kind,
    startedAt,
    endedAt: trueTime(),
    plan: describeCommand(plan),
    end: signal === 'SIGKILL' ? 'killed' : 'ended',
    isDone: code === 0,
    isUnchanged: answer?.status === 'unchanged',
    error: answer?.error?.code,
    sessionId: answer?.sessionId ?? answer?.id,
    diedAt: notes.flatMap((line) => (line.type === 'died' ? [line.point] : [])).at(-1),
    complaint: hung
      ? `it did not end within ${HANGS_AFTER_MS} ms`
      : signal === null && !isExpected
        ? `${last.slice(0, 300)} ${errors.slice(-300)}`
        : undefined,
  };
}
