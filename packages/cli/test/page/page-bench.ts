import { readFile, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { createClient, type LonghaulClient } from '@longhaul/client';
import type { Script } from '@longhaul/scripted-model';
import { findChromium } from '@longhaul/testing/machine';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { expect } from 'vitest';
import { Bench, type Running } from '../harness.ts';

const AXE = createRequire(import.meta.url).resolve('axe-core/axe.min.js');

export const DESKTOP = { width: 1_280, height: 800 };
export const PHONE = { width: 360, height: 740 };

export interface PageBenchOptions {
  script: Script;
  /** The rules of approvals, as YAML. Default: every call is allowed. */
  approvals?: string;
  /** More of the configuration, as YAML. */
  more?: string;
  windowTokens?: number;
  /** Milliseconds between pieces of an answer. */
  pieceMs?: number;
}

/** The real `longhaul serve` with a scripted model, and the page in a real browser. */
export class PageBench implements AsyncDisposable {
  readonly bench: Bench;
  readonly #browser: Browser;
  /** What the pages said went wrong: errors of scripts, and what their Content-Security-Policy refused. */
  readonly failures: string[] = [];
  #serving: { running: Running; url: string; token: string } | undefined;
  #port = 0;

  private constructor(bench: Bench, browser: Browser) {
    this.bench = bench;
    this.#browser = browser;
  }

  static async open({
    script,
    approvals = '[{ tool: "*", action: allow }]',
    more = '',
    windowTokens = 32_000,
    pieceMs,
  }: PageBenchOptions): Promise<PageBench> {
    const executablePath = await findChromium();
    if (executablePath === undefined) throw new Error('no Chromium that runs was found');
    const bench = await Bench.open();
    const { server } = await bench.serve({ script, windowTokens, ...(pieceMs !== undefined && { pieceMs }) });
    await writeFile(
      bench.userFile,
      `model: local/scripted
providers:
  local: { kind: openai-compatible, baseUrl: "${server.url}", accepts: { images: true }, models: { scripted: { window: ${windowTokens} } } }
sandbox: { driver: local }
server: { stopGraceMs: 100 }
approvals: ${approvals}
${more}`,
    );
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const page = new PageBench(bench, browser);
    await page.startServer();
    return page;
  }

  get url(): string {
    return this.#served.url;
  }

  get token(): string {
    return this.#served.token;
  }

  get client(): LonghaulClient {
    return createClient({
      baseUrl: this.url,
      token: this.token,
      schemas: () => import('@longhaul/protocol/api'),
    });
  }

  get #served() {
    if (this.#serving === undefined) throw new Error('the server is stopped');
    return this.#serving;
  }

  /** Starts the server, on the same port as before. */
  async startServer(): Promise<void> {
    const running = this.bench.start([
      'serve',
      '--port',
      String(this.#port),
      '--json',
      '--log-level',
      'error',
    ]);
    await running.saw('"listening"');
    const said: { url: string; tokenFile: string } = JSON.parse(running.output().split('\n')[0] ?? '');
    const token = (await readFile(said.tokenFile, 'utf8')).trim();
    this.#port = Number(new URL(said.url).port);
    this.#serving = { running, url: said.url, token };
  }

  /** Ends the server as a power failure would. */
  async killServer(): Promise<void> {
    const { running } = this.#served;
    running.child.kill('SIGKILL');
    await running.ended;
    this.#serving = undefined;
  }

  /**
   * A page that is signed in. Pages of one context share what a browser's tabs share.
   *
   * @param options.token Default: the token of the server.
   */
  async newPage({
    viewport = DESKTOP,
    colorScheme = 'light',
    context,
    token,
  }: {
    viewport?: { width: number; height: number };
    colorScheme?: 'light' | 'dark';
    context?: BrowserContext;
    token?: string;
  } = {}): Promise<Page> {
    const own =
      context ??
      (await this.#browser.newContext({
        viewport,
        colorScheme,
        reducedMotion: 'reduce',
        permissions: ['clipboard-read', 'clipboard-write'],
      }));
    const page = await own.newPage();
    page.on('pageerror', (error) => this.failures.push(`pageerror: ${error.message}`));
    page.on('console', (message) => {
      // A browser reports every answer that is not 2xx, also expected ones.
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
        this.failures.push(`console: ${message.text()}`);
    });
    await this.signIn(page, token);
    return page;
  }

  /** Types the token, as a person does once. Tabs of one browser share it. */
  async signIn(page: Page, token = this.token): Promise<void> {
    await page.goto(this.url);
    const field = page.getByLabel('Token of this server');
    const composer = page.getByLabel('Message', { exact: true });
    await field.or(composer).first().waitFor();
    if (await composer.isVisible()) return;
    await field.fill(token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await composer.waitFor();
  }

  async showSession(page: Page, sessionId: string, query = ''): Promise<void> {
    await page.goto(`${this.url}/#/session/${sessionId}${query}`);
    await page.getByLabel('Message', { exact: true }).waitFor();
  }

  /** Writes a message into the composer and sends it. */
  async say(page: Page, text: string): Promise<void> {
    const composer = page.getByLabel('Message', { exact: true });
    await composer.fill(text);
    await composer.press('Enter');
    await expect.poll(() => composer.inputValue()).toBe('');
  }

  /** Creates a session with its first message, without a page. */
  async newSession(title: string, task: string): Promise<string> {
    const { id } = await this.client.sessions.create({ title });
    await this.client.sendMessage(id, task);
    return id;
  }

  /** Waits until the session's run has ended. A message that was just sent waits until the run takes it. */
  async ended(sessionId: string): Promise<void> {
    const isEnded = async () => {
      const { state, queued } = await this.client.sessions.get(sessionId);
      return state !== 'running' && queued === 0;
    };
    await expect.poll(isEnded).toBe(true);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await this.bench[Symbol.asyncDispose]();
  }
}

export function sessionIdOf(page: Page): string {
  const id = /#\/session\/([^?]+)/.exec(page.url())?.[1];
  if (id === undefined) throw new Error(`${page.url()} shows no session`);
  return id;
}

/** What axe-core finds in the page, as a line for each place. */
export async function accessibilityFaults(page: Page): Promise<string[]> {
  await page.evaluate(await readFile(AXE, 'utf8'));
  return await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ html, failureSummary }) => id + ': ' + html.slice(0, 200) + ' ' + failureSummary.slice(0, 300)),
    ))`);
}
