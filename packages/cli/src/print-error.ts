import { type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { hintFor } from './hints.ts';
import type { Terminal } from './terminal.ts';

/** Says what went wrong and what to do, and returns the exit code. With `json`, standard output gets one line too. */
export function printError(thrown: unknown, terminal: Terminal, { json }: { json: boolean }): number {
  const error = toLonghaulError(thrown);
  if (json) terminal.out.write(`${JSON.stringify({ type: 'error', error: error.toShape() })}\n`);
  terminal.err.write(`longhaul: ${error.message}\n`);
  const hint = hintFor(error.code);
  if (hint !== undefined) terminal.err.write(`${hint}\n`);
  if (terminal.env['LONGHAUL_DEBUG']) terminal.err.write(`${stackOf(error)}\n`);
  return error.exitCode;
}

function stackOf(error: LonghaulError): string {
  return error.cause instanceof Error ? (error.cause.stack ?? '') : (error.stack ?? '');
}
