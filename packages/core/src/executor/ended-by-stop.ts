import type { ToolResult } from '../ports/tool.ts';

/** The signal to stop can reach this process that long after it has ended the command. */
const APART_MS = 500;

/**
 * Whether the work of a tool was ended because the program stops: a service manager can signal all processes of a
 * service at once. The signals arrive in any order.
 *
 * @param drain Aborts when the program stops.
 */
export async function isEndedByStop(result: ToolResult, drain: AbortSignal | undefined): Promise<boolean> {
  if (result.wasKilled !== true || drain === undefined) return false;
  if (drain.aborted) return true;
  const { promise, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, APART_MS);
  drain.addEventListener('abort', () => resolve(), { once: true });
  await promise;
  clearTimeout(timer);
  return drain.aborted;
}

/** Tells the model why the result is incomplete. */
export function withStopRemark(result: ToolResult): ToolResult {
  const text =
    '[interrupted: Longhaul was stopped, and the command was ended with it. Check what it did before you repeat it]';
  return { ...result, content: [...result.content, { type: 'text', text }] };
}
