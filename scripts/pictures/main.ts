/**
 * Makes the pictures of the README: a recording of the demo in a terminal, and a replay report of the same session.
 *
 * Run it with `npm run pictures`. It needs Linux with `script` (util-linux), bubblewrap and Chromium.
 */
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { recordTerminal } from './record-terminal.ts';
import { terminalSvg } from './terminal-svg.ts';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGHAUL = join(ROOT, 'packages/cli/bin/longhaul.js');
const IMAGES = join(ROOT, 'docs/images');
/** Path of Debian's Chromium. */
const CHROMIUM = '/usr/bin/chromium';
const SIZE = { columns: 100, rows: 30 };

const home = await mkdtemp(join(tmpdir(), 'longhaul-pictures-'));
const { NO_COLOR: _, ...environment } = process.env;
const env = { ...environment, HOME: home, TMPDIR: home, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
try {
  await mkdir(IMAGES, { recursive: true });
  await makeRecording();
  await makeReport();
} finally {
  await rm(home, { recursive: true });
}

async function makeRecording(): Promise<void> {
  const node = `'${process.execPath}' '${LONGHAUL}'`;
  const frames = await recordTerminal(`${node} demo --keep --sandbox bubblewrap`, {
    ...SIZE,
    env,
    cwd: home,
  });
  await writeFile(join(IMAGES, 'demo.svg'), terminalSvg(frames, SIZE));
}

/** Makes the report of the session that was just recorded. */
async function makeReport(): Promise<void> {
  const [demo] = (await readdir(home)).filter((name) => name.startsWith('longhaul-demo-'));
  const database = join(home, demo ?? '', 'session.db');
  const session = join(home, 'demo.json');
  const page = join(home, 'report.html');
  const config = join(home, 'longhaul.yml');
  await writeFile(config, `storage: { url: "sqlite:${database}" }\n`);
  const { stdout } = await longhaul('export', 'last', '--config', config);
  await writeFile(session, stdout);
  await longhaul(
    'replay',
    session,
    '--window',
    '8000,12000,16000',
    '--strategy',
    'all',
    '--baselines',
    '--html',
    page,
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage({ viewport: { width: 1100, height: 760 }, deviceScaleFactor: 2 });
    await tab.goto(`file://${page}`);
    await tab.screenshot({ path: join(IMAGES, 'replay.png') });
  } finally {
    await browser.close();
  }
}

function longhaul(...args: string[]) {
  return run(process.execPath, [LONGHAUL, ...args], { env, cwd: dirname(LONGHAUL), maxBuffer: 1e9 });
}
