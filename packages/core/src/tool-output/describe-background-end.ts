import type { BackgroundEnd } from '../ports/background.ts';

/** Returns how a command in the background has ended, such as `exit code 1`. */
export function describeBackgroundEnd(end: BackgroundEnd): string {
  if (end.ended === 'failed') return `the sandbox failed: ${end.reason}`;
  if (end.ended !== 'exit') return 'stopped';
  return end.exitCode === undefined ? `killed by ${end.signal ?? 'a signal'}` : `exit code ${end.exitCode}`;
}
