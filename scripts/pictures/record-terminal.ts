import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import headless from '@xterm/headless';
import { type Frame, screenOf } from './screen.ts';

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
