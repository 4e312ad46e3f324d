import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import headless from '@xterm/headless';

/** Consecutive cells with the same style. */
export interface Span {
  text: string;
  color: string | undefined;
  isBold: boolean;
  isDim: boolean;
}

/** The screen from `atMs` until the next frame. */
export interface Frame {
  atMs: number;
  lines: Span[][];
}

export interface RecordingOptions {
  columns: number;
  rows: number;
  env: NodeJS.ProcessEnv;
  cwd: string;
}

const FRAME_MS = 150;

/** Runs a command in its own terminal with `script` and returns the frames of its screen. */
export async function recordTerminal(command: string, options: RecordingOptions): Promise<Frame[]> {
  const folder = await mkdtemp(join(tmpdir(), 'longhaul-recording-'));
  try {
    const output = join(folder, 'output');
    const timing = join(folder, 'timing');
    const inSize = `stty cols ${options.columns} rows ${options.rows}; ${command}`;
    const args = ['--quiet', '--log-out', output, '--log-timing', timing, '--command', inSize];
    const child = spawn('script', args, {
      cwd: options.cwd,
      env: options.env,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const [code] = await once(child, 'exit');
    if (code !== 0) throw new Error(`"${command}" exited with code ${code}.`);
    return await framesOf(await readFile(output), await readFile(timing, 'utf8'), options);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Writes the recorded bytes to a terminal and captures its screen at most every `FRAME_MS`. */
async function framesOf(
  output: Buffer,
  timing: string,
  { columns, rows }: RecordingOptions,
): Promise<Frame[]> {
  const terminal = new headless.Terminal({ cols: columns, rows, allowProposedApi: true });
  const write = (bytes: Uint8Array) => new Promise<void>((done) => terminal.write(bytes, done));
  const frames: Frame[] = [];
  let at = 0;
  let nowMs = 0;
  // `script` writes its own first line.
  let offset = output.indexOf('\n') + 1;
  for (const [, seconds, bytes] of timing.matchAll(/^(?:O )?([\d.]+) (\d+)$/gm)) {
    nowMs += Number(seconds) * 1_000;
    if (nowMs - at >= FRAME_MS) {
      frames.push({ atMs: at, lines: screenOf(terminal) });
      at = nowMs;
    }
    await write(output.subarray(offset, offset + Number(bytes)));
    offset += Number(bytes);
  }
  frames.push({ atMs: nowMs, lines: screenOf(terminal) });
  return frames;
}

function screenOf(terminal: headless.Terminal): Span[][] {
  const { active } = terminal.buffer;
  return Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    return line === undefined ? [] : spansOf(line, terminal.cols);
  });
}

function spansOf(line: NonNullable<ReturnType<headless.IBuffer['getLine']>>, columns: number): Span[] {
  const spans: Span[] = [];
  for (let column = 0; column < columns; column += 1) {
    const cell = line.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const look = { color: colorOf(cell), isBold: cell.isBold() !== 0, isDim: cell.isDim() !== 0 };
    const last = spans.at(-1);
    const text = cell.getChars() || ' ';
    const isSame =
      last !== undefined &&
      last.color === look.color &&
      last.isBold === look.isBold &&
      last.isDim === look.isDim;
    if (isSame) last.text += text;
    else spans.push({ text, ...look });
  }
  const last = spans.at(-1);
  if (last !== undefined) last.text = last.text.trimEnd();
  return spans.filter(({ text }) => text !== '');
}

/** The first sixteen terminal colours, for a dark background. */
const PALETTE = [
  ...['#484f58', '#ff7b72', '#3fb950', '#d29922', '#58a6ff', '#bc8cff', '#39c5cf', '#b1bac4'],
  ...['#6e7681', '#ffa198', '#56d364', '#e3b341', '#79c0ff', '#d2a8ff', '#56d4dd', '#ffffff'],
];

function colorOf(cell: headless.IBufferCell): string | undefined {
  if (cell.isFgRGB()) return `#${cell.getFgColor().toString(16).padStart(6, '0')}`;
  return cell.isFgPalette() ? PALETTE[cell.getFgColor()] : undefined;
}
