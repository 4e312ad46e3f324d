import type { BackgroundCommand, ToolContext } from '@longhaul/core';
import type { InputFields } from './input-parser.ts';
import { LineMatcher } from './line-matcher.ts';

export type WaitFor = { for: 'line'; expression: RegExp } | { for: 'port'; port: number } | { for: 'end' };

export interface WaitOutcome {
  isMet: boolean;
  /** Why the wait has ended, if it was not met. */
  remark?: string;
}

const MAX_PORT = 65_535;
/** How long the expression may take for one piece of output. */
const MATCH_DEADLINE_MS = 2_000;
/** A line without an end that is longer is matched in pieces. */
const MAX_LINE_CHARS = 10_000;

export function readWaitFor(fields: InputFields): WaitFor | undefined {
  const text = fields.optionalText('waitFor')?.trim();
  if (text === undefined || text === '') return undefined;
  if (/^(?:the )?(?:end|exit)$/i.test(text)) return { for: 'end' };
  const port = /^(?:port[ :=]*)?(\d{1,5})$/i.exec(text)?.[1];
  if (port !== undefined) {
    if (Number(port) > 0 && Number(port) <= MAX_PORT) return { for: 'port', port: Number(port) };
    fields.problem(`\`waitFor\`: a port is a number from 1 to ${MAX_PORT}.`);
    return undefined;
  }
  try {
    return { for: 'line', expression: new RegExp(text) };
  } catch (error) {
    fields.problem(`\`waitFor\`: ${error instanceof Error ? error.message : String(error)}.`);
    return undefined;
  }
}

interface WaitOptions {
  timeoutMs: number;
  context: Pick<ToolContext, 'sandbox' | 'signal'>;
}

/** Waits until the condition is met, the command has ended, or the time is over. The first one counts. */
export async function waitForCommand(
  command: BackgroundCommand,
  waitFor: WaitFor,
  { timeoutMs, context }: WaitOptions,
): Promise<WaitOutcome> {
  const ended = new AbortController();
  const late = AbortSignal.timeout(timeoutMs);
  const signal = AbortSignal.any([context.signal, late, ended.signal]);
  const unwatch = command.watch({ onOutput: async () => undefined, onEnd: () => ended.abort() });
  try {
    const isMet =
      waitFor.for === 'line'
        ? await waitForLine(command, waitFor.expression, signal)
        : waitFor.for === 'port'
          ? await waitForPort(waitFor.port, { timeoutMs, sandbox: context.sandbox, signal })
          : await waitForAbort(signal);
    if (isMet || (waitFor.for === 'end' && ended.signal.aborted)) return { isMet: true };
    if (ended.signal.aborted) return { isMet: false, remark: `it ended before ${describe(waitFor)}` };
    if (late.aborted)
      return { isMet: false, remark: `${describe(waitFor)} did not come within ${timeoutMs} ms` };
    return { isMet: false, remark: 'cancelled' };
  } finally {
    unwatch();
  }
}

function describe(waitFor: WaitFor): string {
  if (waitFor.for === 'line') return `a line with /${waitFor.expression.source}/`;
  return waitFor.for === 'port' ? `a server on port ${waitFor.port}` : 'the end';
}

async function waitForAbort(signal: AbortSignal): Promise<false> {
  if (!signal.aborted)
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  return false;
}

/** The unread output counts too. All output is matched: the command waits for it. */
async function waitForLine(
  command: BackgroundCommand,
  expression: RegExp,
  signal: AbortSignal,
): Promise<boolean> {
  await using matcher = new LineMatcher({
    expression,
    // The output of a command that has ended is matched too.
    signal: new AbortController().signal,
    deadlineMs: MATCH_DEADLINE_MS,
    tooSlow: `\`waitFor\` took more than ${MATCH_DEADLINE_MS} ms for a piece of output. Avoid nested repetitions such as (a+)+.`,
  });
  const met = Promise.withResolvers<boolean>();
  let openLine = '';
  let turn: Promise<void> = Promise.resolve();
  let isOver = false;
  const match = (text: string): Promise<void> => {
    turn = turn.then(async () => {
      if (isOver) return;
      const whole = openLine + text;
      openLine = whole.slice(whole.lastIndexOf('\n') + 1).slice(-MAX_LINE_CHARS);
      if ((await matcher.matchingLines(whole)).size > 0) met.resolve(true);
    });
    turn.catch(met.reject);
    return turn.catch(() => undefined);
  };
  const unread = command.unreadOutput().text;
  const unwatch = command.watch({ onOutput: match, onEnd: () => undefined });
  void match(unread);
  try {
    const over = waitForAbort(signal).then(async () => {
      // Output that came before the end may match.
      await turn.catch(() => undefined);
      return false;
    });
    return await Promise.race([met.promise, over]);
  } finally {
    isOver = true;
    unwatch();
    await turn.catch(() => undefined);
  }
}

/**
 * Waits in the sandbox, whose network is not that of this machine. The kernel lists sockets that listen; without its
 * list, a connection is tried.
 */
async function waitForPort(
  port: number,
  { timeoutMs, sandbox, signal }: { timeoutMs: number; sandbox: ToolContext['sandbox']; signal: AbortSignal },
): Promise<boolean> {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const listens = `cat /proc/net/tcp /proc/net/tcp6 2>/dev/null | grep -q ':${hex} [0-9A-F]*:0000 0A '`;
  const connects = `(exec 3<>/dev/tcp/127.0.0.1/${port}) 2>/dev/null`;
  const script = `if [ -r /proc/net/tcp ]; then until ${listens}; do sleep 0.1; done; else until ${connects}; do sleep 0.3; done; fi`;
  const result = await sandbox.exec(script, { timeoutMs, signal, onOutput: () => undefined });
  return result.ended === 'exit' && result.exitCode === 0;
}
