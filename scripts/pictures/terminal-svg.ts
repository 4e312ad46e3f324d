import { DARK, type Frame, type Look, type Span } from './screen.ts';

const FONT_PX = 14;
const CELL_PX = 8.43;
const LINE_PX = 19;
const PADDING_PX = 16;
const BAR_PX = 30;
/** How long the last screen is shown before the animation repeats. */
const END_MS = 6_000;
/** The longest time that any other screen is shown. */
const MAX_WAIT_MS = 400;

export interface PictureOptions {
  title: string;
  columns: number;
  rows: number;
  look?: Look;
}

/**
 * Returns an SVG of a terminal without scripts. If there are several frames, it is animated: all are stacked vertically
 * and move into view one by one.
 */
export function terminalSvg(
  frames: readonly Frame[],
  { title, look = DARK, ...size }: PictureOptions,
): string {
  const shown = inTime(frames.filter((frame, index) => !isSame(frame, frames[index - 1])));
  const width = Math.ceil(size.columns * CELL_PX + 2 * PADDING_PX);
  const screenPx = size.rows * LINE_PX;
  const height = BAR_PX + screenPx + PADDING_PX;
  const totalMs = (shown.at(-1)?.atMs ?? 0) + END_MS;
  const steps = shown.map(
    ({ atMs }, index) =>
      `${((atMs / totalMs) * 100).toFixed(3)}%{transform:translateY(${-index * screenPx}px)}`,
  );
  const animation = `.f{animation:f ${totalMs}ms steps(1,end) infinite}@keyframes f{${steps.join('')}}@media print{.f{animation:none;transform:translateY(${-(shown.length - 1) * screenPx}px)}}`;
  const lines = new LineBook(look);
  const screens = shown.map((frame, index) => lines.screen(frame, index * screenPx)).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_PX}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>text{fill:${look.text};white-space:pre}.b{font-weight:700}.d{opacity:.65}.i{font-style:italic}.u{text-decoration:underline}${shown.length > 1 ? animation : ''}</style>
<rect width="100%" height="100%" rx="8" fill="${look.background}"/>
<circle cx="18" cy="16" r="5" fill="#ff5f56"/><circle cx="36" cy="16" r="5" fill="#ffbd2e"/><circle cx="54" cy="16" r="5" fill="#27c93f"/>
<defs>${lines.definitions()}</defs>
<svg x="${PADDING_PX}" y="${BAR_PX}" width="${width - 2 * PADDING_PX}" height="${screenPx}"><g class="f">${screens}</g></svg>
</svg>
`;
}

/** Starts with the first line of output, and shortens long waits: a busy machine must not make a long picture. */
function inTime(frames: readonly Frame[]): Frame[] {
  const begun = frames.slice(frames.findIndex(({ lines }) => lines.some((line) => line.length > 0)));
  let atMs = 0;
  return begun.map((frame, index) => {
    const waitMs = frame.atMs - (begun[index - 1]?.atMs ?? frame.atMs);
    atMs += Math.min(waitMs, MAX_WAIT_MS);
    return { ...frame, atMs };
  });
}

/** Stores each distinct line once, because most lines stay on the screen for many frames. */
class LineBook {
  readonly #ids = new Map<string, string>();
  readonly #look: Look;

  constructor(look: Look) {
    this.#look = look;
  }

  screen({ lines }: Frame, top: number): string {
    return lines
      .map((line, row) =>
        line.length === 0 ? '' : `<use href="#${this.#idOf(line)}" y="${top + row * LINE_PX}"/>`,
      )
      .join('');
  }

  definitions(): string {
    return [...this.#ids].map(([text, id]) => `<g id="${id}">${text}</g>`).join('');
  }

  #idOf(line: readonly Span[]): string {
    const text = lineSvg(line, this.#look);
    const id = this.#ids.get(text) ?? `l${this.#ids.size.toString(36)}`;
    this.#ids.set(text, id);
    return id;
  }
}

function lineSvg(line: readonly Span[], look: Look): string {
  let column = 0;
  let backgrounds = '';
  const spans = line.map((span) => {
    const x = (column * CELL_PX).toFixed(1);
    const width = (columnsOf(span.text) * CELL_PX).toFixed(1);
    column += columnsOf(span.text);
    if (span.isInverse)
      backgrounds += `<rect x="${x}" width="${width}" height="${LINE_PX}" fill="${span.color ?? look.text}"/>`;
    if (span.text.trim() === '') return '';
    const looks = LOOKS.filter(([name]) => span[name]).map(([, letter]) => letter);
    const color = span.isInverse ? look.background : span.color;
    const fill = color === undefined ? '' : ` style="fill:${color}"`;
    const classes = looks.length === 0 ? '' : ` class="${looks.join(' ')}"`;
    return `<tspan x="${x}" textLength="${width}"${classes}${fill}>${escaped(span.text)}</tspan>`;
  });
  return `${backgrounds}<text y="${FONT_PX}" xml:space="preserve">${spans.join('')}</text>`;
}

/** The classes of a span. */
const LOOKS = [
  ['isBold', 'b'],
  ['isDim', 'd'],
  ['isItalic', 'i'],
  ['isUnderlined', 'u'],
] as const;

/** The pictures contain no wide characters. */
function columnsOf(text: string): number {
  return [...text].length;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function isSame(frame: Frame, other: Frame | undefined): boolean {
  return other !== undefined && JSON.stringify(frame.lines) === JSON.stringify(other.lines);
}
