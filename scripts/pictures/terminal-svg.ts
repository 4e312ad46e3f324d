import type { Frame, Span } from './record-terminal.ts';

const FONT_PX = 14;
const CELL_PX = 8.43;
const LINE_PX = 19;
const PADDING_PX = 16;
const BAR_PX = 30;
/** How long the last screen is shown before the animation repeats. */
const END_MS = 6_000;
/** The longest time that any other screen is shown. */
const MAX_WAIT_MS = 400;

/**
 * Returns an animated SVG of a terminal without scripts. All frames are stacked vertically and move into view one by
 * one.
 */
export function terminalSvg(
  frames: readonly Frame[],
  { title, ...size }: { title: string; columns: number; rows: number },
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
  const lines = new LineBook();
  const screens = shown.map((frame, index) => lines.screen(frame, index * screenPx)).join('');
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" font-family="ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace" font-size="${FONT_PX}" role="img" aria-labelledby="title">
<title id="title">${escaped(title)}</title>
<style>text{fill:#c9d1d9;white-space:pre}.b{font-weight:700}.d{opacity:.65}.f{animation:f ${totalMs}ms steps(1,end) infinite}@keyframes f{${steps.join('')}}@media print{.f{animation:none;transform:translateY(${-(shown.length - 1) * screenPx}px)}}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
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
    const text = lineSvg(line);
    const id = this.#ids.get(text) ?? `l${this.#ids.size.toString(36)}`;
    this.#ids.set(text, id);
    return id;
  }
}

function lineSvg(line: readonly Span[]): string {
  let column = 0;
  const spans = line.map((span) => {
    const x = (column * CELL_PX).toFixed(1);
    column += [...span.text].length;
    const looks = [span.isBold ? 'b' : '', span.isDim ? 'd' : ''].filter((name) => name !== '').join(' ');
    const fill = span.color === undefined ? '' : ` style="fill:${span.color}"`;
    const look = looks === '' ? '' : ` class="${looks}"`;
    if (span.text.trim() === '') return '';
    return `<tspan x="${x}" textLength="${([...span.text].length * CELL_PX).toFixed(1)}"${look}${fill}>${escaped(span.text)}</tspan>`;
  });
  return `<text y="${FONT_PX}" xml:space="preserve">${spans.join('')}</text>`;
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function isSame(frame: Frame, other: Frame | undefined): boolean {
  return other !== undefined && JSON.stringify(frame.lines) === JSON.stringify(other.lines);
}
