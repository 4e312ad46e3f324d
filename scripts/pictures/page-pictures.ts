import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { createScriptedModelServer } from '@longhaul/scripted-model';
import { findChromium } from '@longhaul/testing/machine';
import { chromium, type Page } from 'playwright-core';
import { chatScript, PROJECT, TASK } from './chat-script.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const LONGHAUL = join(ROOT, 'packages/cli/bin/longhaul.js');
const IMAGES = join(ROOT, 'docs/images');
const MODEL = 'qwen3-coder-30b';
const WINDOW_TOKENS = 16_384;
const WIDE = { width: 1_280, height: 800 };
const PHONE = { width: 390, height: 780 };

/** The pictures that `docs/page.md` shows. The others are for looking at. */
const KEPT: ReadonlySet<string> = new Set(['session', 'context', 'files', 'approval', 'settings']);

/**
 * Makes pictures of the page from a real server and a real browser, in light and in dark. Those of the docs are kept in
 * `docs/images`, and all in a temporary folder, which is printed. It needs Chromium.
 */
export async function makePagePictures(): Promise<void> {
  const all = await mkdtemp(join(tmpdir(), 'longhaul-page-pictures-'));
  const home = join(tmpdir(), 'longhaul-pictures');
  await mkdir(home);
  try {
    await using model = await createScriptedModelServer({
      script: chatScript,
      model: MODEL,
      windowTokens: WINDOW_TOKENS,
    });
    const project = join(home, 'flashcards');
    await mkdir(join(project, 'src'), { recursive: true });
    await mkdir(join(project, 'data'));
    for (const [path, text] of Object.entries(PROJECT)) await writeFile(join(project, path), text);
    await writeConfiguration(home, model.url);
    await using server = await startServer({ home, project });
    await using browser = await openBrowser();
    const page = await browser.newPage({ viewport: WIDE, reducedMotion: 'reduce' });
    await signIn(page, server);
    try {
      await pictureAll(page, { home, all });
    } catch (error) {
      await page.screenshot({ path: join(all, 'failed.png') });
      throw new Error(`The page did not come to the next state. ${join(all, 'failed.png')} shows it.`, {
        cause: error,
      });
    }
  } finally {
    await rm(home, { recursive: true, force: true });
  }
  console.log(`All pictures: ${all}`);
}

/** The states of one session, from its first message to its compaction. */
async function pictureAll(page: Page, { home, all }: { home: string; all: string }): Promise<void> {
  const keep = (name: string) => pictureOf(page, { name, all });
  await keep('new-session');
  await say(page, TASK);
  await page.getByText('plans a card').first().waitFor();
  await keep('command');
  await say(page, 'Look also whether the README mentions it.');
  await page.getByRole('button', { name: /1 queued|1 waiting|1 message/ }).click();
  await page.getByRole('dialog').waitFor();
  await keep('queue');
  await page.keyboard.press('Escape');
  await writeFile(join(home, 'go'), '');
  const approval = page.getByRole('dialog', { name: 'Approve this?' });
  await approval.waitFor();
  await keep('approval');
  await approval.getByRole('button', { name: 'Once' }).click();
  await page.getByRole('listitem').filter({ hasText: 'nothing changes there' }).waitFor();
  await page.getByPlaceholder('Message the agent').waitFor();
  await keep('session');
  await page.getByRole('button', { name: 'Changed files' }).click();
  await page.locator('.changed-file summary').first().click();
  await keep('files');
  await page.getByRole('button', { name: 'Context', exact: true }).click();
  await page.getByText('Tokens of each request').waitFor();
  await keep('context');
  await page.getByRole('button', { name: 'Preview a compaction…' }).click();
  await page.getByRole('button', { name: 'Compact now' }).click();
  await page.getByText('Context compacted:').first().waitFor();
  await page.getByRole('button', { name: 'Details' }).first().click();
  await page.getByRole('heading', { name: 'Ledger' }).waitFor();
  await keep('compaction');
  await page.keyboard.press('Escape');
  await page.getByRole('link', { name: 'Settings' }).click();
  await page.getByText('Context Pruning Agent').first().waitFor();
  await keep('settings');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog').waitFor();
  await keep('palette');
  await page.keyboard.press('Escape');
  await page.goBack();
  await page.setViewportSize(PHONE);
  await keep('phone');
}

async function pictureOf(page: Page, { name, all }: { name: string; all: string }): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    // Two frames: one that applies the colours, and one that is complete.
    await page.evaluate('new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))');
    const image = await page.screenshot();
    await writeFile(join(all, `${name}-${colorScheme}.png`), image);
    if (KEPT.has(name) && colorScheme === 'light') await writeFile(join(IMAGES, `page-${name}.png`), image);
  }
}

async function say(page: Page, text: string): Promise<void> {
  const composer = page.getByLabel('Message', { exact: true });
  await composer.fill(text);
  await composer.press('Enter');
}

async function writeConfiguration(home: string, url: string): Promise<void> {
  const file = join(home, '.config', 'longhaul', 'longhaul.yml');
  await mkdir(dirname(file), { recursive: true });
  await writeFile(
    file,
    `model: openai-compatible/${MODEL}
providers: { openai-compatible: { baseUrl: "${url}", models: { ${MODEL}: { window: ${WINDOW_TOKENS} } } } }
sandbox: { driver: local }
approvals:
  - { tool: "*", action: allow }
  - { tool: edit, action: ask }
`,
  );
}

interface PictureServer extends AsyncDisposable {
  url: string;
  token: string;
}

async function startServer({ home, project }: { home: string; project: string }): Promise<PictureServer> {
  const child = spawn(
    process.execPath,
    [LONGHAUL, 'serve', '--port', '0', '--json', '--log-level', 'error'],
    {
      cwd: project,
      env: { HOME: home, TMPDIR: home, PATH: process.env['PATH'] ?? '' },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  );
  const [line] = await once(createInterface({ input: child.stdout }), 'line');
  const { url, tokenFile } = JSON.parse(String(line));
  return {
    url,
    token: (await readFile(tokenFile, 'utf8')).trim(),
    async [Symbol.asyncDispose]() {
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      await ended;
    },
  };
}

async function openBrowser() {
  const executablePath = await findChromium();
  if (executablePath === undefined)
    throw new Error('The pictures of the page need Chromium, which was not found.');
  return await chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

async function signIn(page: Page, { url, token }: PictureServer): Promise<void> {
  await page.goto(url);
  await page.getByLabel('Token of this server').fill(token);
  await page.getByRole('button', { name: 'Continue' }).click();
  await page.getByLabel('Message', { exact: true }).waitFor();
}
