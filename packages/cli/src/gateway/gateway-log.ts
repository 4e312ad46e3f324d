import type { LogEntry } from '@longhaul/gateway';
import { printable } from '../render/format.ts';
import { createPaint } from '../render/paint.ts';
import { type Terminal, wantsColors } from '../terminal.ts';

/** Lines on standard error; for a program, JSON on standard output. */
export function createGatewayLog(terminal: Terminal, { json }: { json: boolean }): (entry: LogEntry) => void {
  const paint = createPaint(wantsColors({ ...terminal, out: terminal.err }, undefined));
  const colors = { info: paint.dim, warn: paint.warn, error: paint.bad };
  return (entry) => {
    const at = new Date().toISOString();
    if (json) return void terminal.out.write(`${JSON.stringify({ type: 'log', at, ...entry })}\n`);
    const { level, message, upstream, model, chat, code } = entry;
    const place =
      upstream === undefined ? '' : ` ${upstream}${model === undefined || model === '' ? '' : `/${model}`}`;
    const whose = chat === undefined ? '' : ` [${chat.slice(0, 40)}]`;
    const kind = code === undefined ? '' : ` (${code})`;
    terminal.err.write(
      `${at.slice(11, 19)} ${colors[level](level)}${printable(place + whose)} ${printable(message)}${kind}\n`,
    );
  };
}
