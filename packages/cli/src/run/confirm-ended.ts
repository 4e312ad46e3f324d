import { describeLeft, type LeftProcess } from '@longhaul/core';
import { wrapText } from '../render/word-wrapper.ts';
import { columnsOf, type Terminal } from '../terminal.ts';
import { askYesNo, canAsk } from './confirm.ts';
import type { Display } from './show-run.ts';

export interface ConfirmEndedOptions {
  terminal: Terminal;
  display: Display;
  /** `--assume-ended`: a person has already checked. */
  assumeEnded?: boolean;
  /** Leaves the terminal to a question. */
  pause: () => Disposable | undefined;
}

/** Asks whether commands of an earlier run, which cannot be ended from here, have ended. No if nobody can be asked. */
export async function confirmEnded(
  left: readonly LeftProcess[],
  { terminal, display, assumeEnded = false, pause }: ConfirmEndedOptions,
): Promise<boolean> {
  if (assumeEnded) return true;
  if (display !== 'progress' || !canAsk(terminal)) return false;
  using _paused = pause();
  terminal.out.write(wrapText(describeLeft(left), columnsOf(terminal.out)));
  return await askYesNo('Has it ended, and should the session continue?', terminal);
}
