import type { BacktestProgress } from '@longhaul/replay';
import { fitLine } from '../render/format.ts';
import { createLiveLine, type LiveLine } from '../render/live-line.ts';
import { columnsOf, type Terminal } from '../terminal.ts';

const BAR_COLUMNS = 24;

export interface ProgressBar extends Disposable {
  show(progress: BacktestProgress): void;
}

/** Shows a bar on standard error if that is a terminal. */
export function progressBar(terminal: Terminal): ProgressBar {
  let progress: BacktestProgress | undefined;
  const columns = columnsOf(terminal.err);
  const canDraw = terminal.err.isTTY === true && terminal.env['TERM'] !== 'dumb';
  const line: LiveLine | undefined = canDraw
    ? createLiveLine(terminal.err, () => (progress === undefined ? [] : [barText(progress, columns - 3)]))
    : undefined;
  return {
    show(next) {
      progress = next;
    },
    [Symbol.dispose]() {
      line?.end();
    },
  };
}

function barText({ done, total, path }: BacktestProgress, columns: number): string {
  const full = total === 0 ? 0 : Math.round((done / total) * BAR_COLUMNS);
  const bar = '█'.repeat(full) + '░'.repeat(BAR_COLUMNS - full);
  return fitLine(`${bar} ${done}/${total} ${path.slice(path.lastIndexOf('/') + 1)}`, columns);
}
