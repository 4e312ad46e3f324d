import { stripVTControlCharacters } from 'node:util';
import { widthOf } from '../../render/format.ts';

/** The redrawn lines at the end of the output, and the place of the cursor in them. */
export interface Frame {
  lines: readonly string[];
  cursor: { row: number; column: number } | undefined;
}

/** What is on the screen: the last frame, and the row of the terminal's cursor in it. */
export interface Drawn {
  lines: readonly string[];
  row: number;
  column: number;
  columns: number;
}

const BEGIN = '\u001b[?2026h\u001b[?25l';
const END = '\u001b[?2026l';
const SHOW_CURSOR = '\u001b[?25h';
const CLEAR_BELOW = '\u001b[J';
const CLEAR_LINE_END = '\u001b[K';

/** Nothing is drawn: the cursor is at the beginning of an empty line. */
export function nothingDrawn(columns: number): Drawn {
  return { lines: [], row: 0, column: 0, columns };
}

/**
 * Returns the text that writes `permanent` lines above the frame and draws the frame, in place of what is drawn. The
 * terminal shows all of it at once, if it supports synchronized output.
 *
 * @param permanent Whole lines, each with its line break. They are never drawn over.
 */
export function drawFrame(
  drawn: Drawn,
  frame: Frame,
  { permanent, columns }: { permanent: string; columns: number },
): { text: string; drawn: Drawn } {
  const isSame = permanent === '' && columns === drawn.columns && frame.lines.length === drawn.lines.length;
  const body =
    isSame && drawn.lines.length > 0
      ? changedLines(drawn, frame)
      : allLines(drawn, frame, { permanent, columns });
  const last = Math.max(0, frame.lines.length - 1);
  const { row, column } = frame.cursor ?? { row: last, column: 0 };
  const place = `${vertical(row - last)}\r${column === 0 ? '' : `\u001b[${column}C`}`;
  const cursor = frame.cursor === undefined ? '' : SHOW_CURSOR;
  return {
    text: BEGIN + body + place + cursor + END,
    drawn: { lines: frame.lines, row, column, columns },
  };
}

/** Returns the text that removes what is drawn. The cursor is then where the frame began. */
export function eraseFrame(drawn: Drawn, columns: number): string {
  return `${vertical(-rowsAbove(drawn, columns))}\r${CLEAR_BELOW}`;
}

function allLines(
  drawn: Drawn,
  { lines }: Frame,
  { permanent, columns }: { permanent: string; columns: number },
): string {
  return eraseFrame(drawn, columns) + permanent.replaceAll('\n', '\r\n') + lines.join('\r\n');
}

/** Ends at the last row. */
function changedLines(drawn: Drawn, { lines }: Frame): string {
  let row = drawn.row;
  const parts = lines.map((line, index) => {
    if (line === drawn.lines[index]) return '';
    const move = vertical(index - row);
    row = index;
    return `${move}\r${line}${CLEAR_LINE_END}`;
  });
  return parts.join('') + vertical(lines.length - 1 - row);
}

/**
 * The rows between the beginning of what is drawn and the cursor. A terminal that became narrower has broken longer
 * lines into several rows.
 */
function rowsAbove({ lines, row, column, columns: before }: Drawn, columns: number): number {
  if (columns >= before) return row;
  const above = lines.slice(0, row).reduce((rows, line) => rows + brokenRows(line, columns) + 1, 0);
  return above + brokenRows(lines[row] ?? '', columns, column);
}

/**
 * The breaks in a line up to a column. A character of two columns is not broken, so that a row can have an empty column
 * at its end. Behind a full row there is no break: the cursor stays in it until a character follows.
 */
function brokenRows(line: string, columns: number, end = Number.POSITIVE_INFINITY): number {
  let breaks = 0;
  let column = 0;
  let place = 0;
  for (const character of stripVTControlCharacters(line)) {
    const width = widthOf(character);
    if (column + width > columns) {
      breaks += 1;
      column = 0;
    }
    if (place >= end) break;
    column += width;
    place += width;
  }
  return breaks;
}

function vertical(rows: number): string {
  if (rows === 0) return '';
  return rows < 0 ? `\u001b[${-rows}A` : `\u001b[${rows}B`;
}
