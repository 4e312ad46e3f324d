import Anser from 'anser';

/** A piece of text with the classes of its colours. */
export interface AnsiPiece {
  text: string;
  className: string;
}

const ESCAPE = '\u001b';
/** Control sequences other than colours: titles, links, moves of the cursor, sets of characters. */
const OTHER_SEQUENCES = new RegExp(
  [
    '\\u001b\\][^\\u0007\\u001b]*(?:\\u0007|\\u001b\\\\|$)',
    '\\u001b[PX^_][^\\u001b]*(?:\\u001b\\\\|$)',
    '\\u001b\\[[0-?]*[ -/]*[@-ln-~]',
    '\\u001b\\[[0-?]*[:<=>?][0-?]*m',
    '\\u001b[ -/]*[0-Z\\\\-~]',
  ].join('|'),
  'g',
);
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;
/** More changes of colour are not shown. */
const MAX_PIECES = 2_000;

/** Turns ANSI colours into classes, and removes all other control characters. */
export function readAnsi(output: string): AnsiPiece[] {
  const text = lastStates(output.replaceAll('\u009b', `${ESCAPE}[`).replace(OTHER_SEQUENCES, ''));
  if (!text.includes(ESCAPE)) return [{ text: text.replace(CONTROLS, ''), className: '' }];
  if (text.split(ESCAPE, MAX_PIECES + 1).length > MAX_PIECES)
    return [{ text: Anser.ansiToText(text).replace(CONTROLS, ''), className: '' }];
  const pieces = Anser.ansiToJson(text, { json: true, use_classes: true, remove_empty: true });
  return pieces.map(({ content, fg, bg, decorations }) => ({
    text: content.replace(CONTROLS, ''),
    className: [colour(fg, 'fg'), colour(bg, 'bg'), ...decorations.map((each) => `ansi-${each}`)]
      .filter((each) => each !== '')
      .join(' '),
  }));
}

/** A line that a program has written several times, such as a progress bar, is shown as it was last. */
function lastStates(text: string): string {
  if (!text.includes('\r')) return text;
  const lines = text.split('\n').map((line) => line.split('\r').findLast((state) => state !== '') ?? '');
  return lines.join('\n');
}

/** One of the 16 named colours. Others have the colour of text. */
function colour(name: string | null, place: 'fg' | 'bg'): string {
  return name !== null && /^ansi-(?:bright-)?[a-z]+$/.test(name) ? `${name}-${place}` : '';
}
