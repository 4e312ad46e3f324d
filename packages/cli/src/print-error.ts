import { type ErrorCode, type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type { Terminal } from './terminal.ts';

/** What to do next, where the message itself cannot know it. */
const HINTS: Partial<Record<ErrorCode, string>> = {
  config_invalid: 'longhaul doctor checks the configuration; docs/configuration.md lists every key.',
  provider_auth: 'longhaul config shows which model and key are used, the key masked.',
  provider_unreachable: 'Is the server running, and is the address right? longhaul doctor looks for it.',
  sandbox_unavailable: 'longhaul doctor shows which sandboxes work here.',
  session_busy: 'Wait until it is done, or stop the process that drives it.',
  internal: 'This is a defect of Longhaul. LONGHAUL_DEBUG=1 prints where it happened.',
};

/** Says what went wrong and what to do, and returns the exit code. With `json`, standard output gets one line too. */
export function printError(thrown: unknown, terminal: Terminal, { json }: { json: boolean }): number {
  const error = toLonghaulError(thrown);
  if (json) terminal.out.write(`${JSON.stringify({ type: 'error', error: error.toShape() })}\n`);
  terminal.err.write(`longhaul: ${error.message}\n`);
  const hint = HINTS[error.code];
  if (hint !== undefined) terminal.err.write(`${hint}\n`);
  if (terminal.env['LONGHAUL_DEBUG']) terminal.err.write(`${stackOf(error)}\n`);
  return error.exitCode;
}

function stackOf(error: LonghaulError): string {
  return error.cause instanceof Error ? (error.cause.stack ?? '') : (error.stack ?? '');
}
