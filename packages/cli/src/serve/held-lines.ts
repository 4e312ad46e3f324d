import type { OutputStream, Terminal } from '../terminal.ts';

/**
 * Returns a terminal whose lines for standard error are kept until there is a log for them, unless a person reads that
 * stream.
 */
export function holdLines(terminal: Terminal): { terminal: Terminal; lines: string[] } {
  const lines: string[] = [];
  if (terminal.err.isTTY === true) return { terminal, lines };
  const write = (text: string) => {
    lines.push(...text.split('\n').filter((line) => line.trim() !== ''));
    return true;
  };
  const err: OutputStream = Object.create(terminal.err, { write: { value: write } });
  return { terminal: Object.create(terminal, { err: { value: err } }), lines };
}
