import { ERROR_TRAITS, type LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { hintFor } from './hints.ts';
import { wrapText } from './render/word-wrapper.ts';
import { columnsOf, type Terminal } from './terminal.ts';

/** Prints an error with its remedy, and returns the exit code. With `json`, also prints one line on standard output. */
export function printError(thrown: unknown, terminal: Terminal, { json }: { json: boolean }): number {
  const error = toLonghaulError(thrown);
  if (json) terminal.out.write(`${JSON.stringify({ type: 'error', error: error.toShape() })}\n`);
  const hint = hintFor(error);
  const text = `longhaul: ${error.message}\n${hint === undefined ? '' : `${hint}\n`}`;
  // A terminal would break lines inside words. Programs get whole lines.
  terminal.err.write(terminal.err.isTTY === true ? wrapText(text, columnsOf(terminal.err)) : text);
  if (terminal.env['LONGHAUL_DEBUG']) terminal.err.write(`${stackOf(error)}\n`);
  return ERROR_TRAITS[error.code].exitCode;
}

function stackOf(error: LonghaulError): string {
  return error.cause instanceof Error ? (error.cause.stack ?? '') : (error.stack ?? '');
}
