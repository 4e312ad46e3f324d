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
/** The step of the demo that mends a defect which its tests found. */
const MENDING_STEP = 'm9';

interface Place {
  /** Home and folder of temporary files. */
  home: string;
  env: NodeJS.ProcessEnv;
}

/**
 * Makes the pictures of the README: a recording of the demo in a terminal, a diff of one of its steps, and the chart of
 * a replay report. It needs Linux with `script` (util-linux), bubblewrap and Chromium.
 */
export async function makeReadmePictures(): Promise<void> {
  const home = await mkdtemp(join(tmpdir(), 'longhaul-pictures-'));
  const { NO_COLOR: _, ...environment } = process.env;
  const env = { ...environment, HOME: home, TMPDIR: home, TERM: 'xterm-256color', COLORTERM: 'truecolor' };
  const place = { home, env };
  try {
    await mkdir(IMAGES, { recursive: true });
    await makeRecording(place);
    await makeDiff(place);
    await makeReport(place);
  } finally {
    await rm(home, { recursive: true });
  }
}

async function makeRecording({ home, env }: Place): Promise<void> {
  const node = `'${process.execPath}' '${LONGHAUL}'`;
  const frames = await recordTerminal(`${node} demo --keep --sandbox bubblewrap`, {
    ...SIZE,
    env,
    cwd: home,
  });
  await writeFile(
    join(IMAGES, 'demo.svg'),
    terminalSvg(frames, { title: 'longhaul demo in a terminal', ...SIZE }),
  );
}

/** Makes a still picture of what one step of the recorded demo changed. */
async function makeDiff({ home, env }: Place): Promise<void> {
  const config = await demoConfig({ home });
  const shown = `longhaul diff last ${MENDING_STEP}`;
  const typed = `'${process.execPath}' '${LONGHAUL}' diff last ${MENDING_STEP} --config '${config}'`;
  const size = { columns: SIZE.columns, rows: 15 };
  const frames = await recordTerminal(`echo '$ ${shown}'; ${typed}`, {
    ...size,
    env,
    cwd: join(await demoFolder({ home }), 'flashcards'),
  });
  const last = frames.slice(-1);
  const text = last.flatMap(({ lines }) => lines.flat().map((span) => span.text)).join('');
  if (!text.startsWith(`$ ${shown}`) || !text.includes('diff --git'))
    throw new Error(
      `"${shown}" must show a diff that fits ${size.rows} rows. Correct MENDING_STEP or the rows.`,
    );
  await writeFile(join(IMAGES, 'diff.svg'), terminalSvg(last, { title: `${shown} in a terminal`, ...size }));
}

/** Makes a report of the sessions that `LONGHAUL_TRANSCRIPTS` names, or else of the recorded demo. */
async function makeReport({ home, env }: Place): Promise<void> {
  const recorded = process.env['LONGHAUL_TRANSCRIPTS'];
  const sessions = recorded ?? (await exportDemo({ home, env }));
  const windowTokens = recorded === undefined ? '8000' : '32000';
  const page = join(home, 'report.html');
  await longhaul(
    { env },
    'replay',
    sessions,
    '--window',
    windowTokens,
    '--strategy',
    'all',
    '--baselines',
    '--html',
    page,
  );
  const browser = await chromium.launch({ executablePath: CHROMIUM, args: ['--no-sandbox'] });
  try {
    const tab = await browser.newPage({ viewport: { width: 1000, height: 800 }, deviceScaleFactor: 2 });
    await tab.goto(`file://${page}`);
    const chart = tab.locator('section').filter({ hasText: 'Recall against cost' });
    await chart.screenshot({ path: join(IMAGES, 'replay.png') });
  } finally {
    await browser.close();
  }
}

/** Returns the path of the demo's session as a file. */
async function exportDemo({ home, env }: Place): Promise<string> {
  const session = join(home, 'demo.json');
  const { stdout } = await longhaul(
    { env },
    'export',
    'last',
    '--all',
    '--config',
    await demoConfig({ home }),
  );
  await writeFile(session, stdout);
  return session;
}

/** Returns the path of a configuration that names the demo's database. */
async function demoConfig({ home }: Pick<Place, 'home'>): Promise<string> {
  const config = join(home, 'longhaul.yml');
  await writeFile(config, `storage: { url: "sqlite:${join(await demoFolder({ home }), 'session.db')}" }\n`);
  return config;
}

async function demoFolder({ home }: Pick<Place, 'home'>): Promise<string> {
  const demo = (await readdir(home)).find((name) => name.startsWith('longhaul-demo-'));
  if (demo === undefined) throw new Error(`${home} has no folder of the demo. Expected longhaul-demo-*.`);
  return join(home, demo);
}

function longhaul({ env }: Pick<Place, 'env'>, ...args: string[]) {
  return run(process.execPath, [LONGHAUL, ...args], { env, cwd: dirname(LONGHAUL), maxBuffer: 1e9 });
}
