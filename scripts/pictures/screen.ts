import type headless from '@xterm/headless';

/** Consecutive cells with the same style. */
export interface Span {
  text: string;
  /** Undefined: the colour of ordinary text. */
  color: string | undefined;
  isBold: boolean;
  isDim: boolean;
  isItalic: boolean;
  isUnderlined: boolean;
  /** Text and background are exchanged. */
  isInverse: boolean;
}

/** The screen from `atMs` until the next frame. */
export interface Frame {
  atMs: number;
  lines: Span[][];
}

/** How a terminal shows text: its background, ordinary text, and the first sixteen colours. */
export interface Look {
  background: string;
  text: string;
  palette: readonly string[];
}

export const DARK: Look = {
  background: '#0d1117',
  text: '#c9d1d9',
  palette: [
    ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
    ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
  ],
};

export const LIGHT: Look = {
  background: '#ffffff',
  text: '#1f2328',
  palette: [
    ...['#24292f', '#cf222e', '#116329', '#bf8700', '#0969da', '#8250df', '#1b7c83', '#6e7781'],
    ...['#57606a', '#a40e26', '#1a7f37', '#d4a72c', '#218bff', '#a475f9', '#3192aa', '#8c959f'],
  ],
};

type Line = NonNullable<ReturnType<headless.IBuffer['getLine']>>;
type Style = Omit<Span, 'text'>;

/** The lines that a terminal shows, without blanks at their ends. */
export function screenOf(terminal: headless.Terminal, look = DARK): Span[][] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    return line === undefined ? [] : spansOf(line, terminal.cols, look);
  });
}

function spansOf(line: Line, columns: number, look: Look): Span[] {
  const spans: Span[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const style = styleOf(cell, look);
    const last = spans.at(-1);
    const text = cell.getChars() || ' ';
    if (last !== undefined && hasStyle(last, style)) last.text += text;
    else spans.push({ text, ...style });
  }
  const last = spans.at(-1);
  if (last !== undefined && !last.isInverse) last.text = last.text.trimEnd();
  return spans.filter(({ text }) => text !== '');
}

function styleOf(cell: headless.IBufferCell, look: Look): Style {
  return {
    color: colorOf(cell, look),
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
    isItalic: cell.isItalic() !== 0,
    isUnderlined: cell.isUnderline() !== 0,
    isInverse: cell.isInverse() !== 0,
  };
}

function hasStyle(span: Span, style: Style): boolean {
  return (Object.keys(style) as (keyof Style)[]).every((name) => span[name] === style[name]);
}

function colorOf(cell: headless.IBufferCell, { palette }: Look): string | undefined {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return cell.isFgPalette() ? palette[cell.getFgColor()] : undefined;
}
