import { createPaint } from '../../render/paint.ts';
import { writeControls } from '../../safe-terminal.ts';
import { canAnimate, type Terminal, wantsColors } from '../../terminal.ts';
import { type Drawn, drawFrame, eraseFrame, nothingDrawn } from './frame.ts';

/** The sign before the text that a person writes. */
export const PROMPT = '› ';
/** The status until the chat is loaded. */
export const STARTING = 'starting';

export interface Appearance {
  noColor: boolean | undefined;
  /** Nothing is redrawn. Default: only if the terminal cannot. */
  isPlain: boolean | undefined;
}

/** Whether lines are redrawn. What cannot show colours because of a setting can still redraw. */
export function canRedraw(terminal: Terminal, { isPlain }: Pick<Appearance, 'isPlain'>): boolean {
  return canAnimate(terminal, true) && isPlain !== true;
}

/**
 * Draws the empty prompt, before anything is loaded that can edit text. The terminal keeps what is typed until it is
 * read. Returns undefined for a terminal that cannot redraw.
 */
export function drawFirstFrame(terminal: Terminal, { noColor, isPlain }: Appearance): Drawn | undefined {
  const { out, input } = terminal;
  if (!canRedraw(terminal, { isPlain })) return undefined;
  const paint = createPaint(wantsColors(terminal, noColor));
  const columns = out.columns ?? 0;
  const frame = {
    lines: ['', paint.note(PROMPT), paint.dim(STARTING)],
    cursor: { row: 1, column: PROMPT.length },
  };
  // What is typed is shown by the chat, not by the terminal.
  input.setRawMode(true);
  const { text, drawn } = drawFrame(nothingDrawn(columns), frame, { permanent: '', columns });
  writeControls(out, text);
  return drawn;
}

/** Removes the empty prompt if the chat cannot be loaded. */
export function eraseFirstFrame({ out, input }: Terminal, drawn: Drawn | undefined): void {
  if (drawn === undefined) return;
  writeControls(out, eraseFrame(drawn, out.columns ?? 0));
  input.setRawMode(false);
}
