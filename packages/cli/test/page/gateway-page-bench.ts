import { readFile, writeFile } from 'node:fs/promises';
import { createPersonaServer, type PersonaServer, type Script } from '@longhaul/scripted-model';
import { findChromium } from '@longhaul/testing/machine';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Bench, type Running } from '../harness.ts';

export interface GatewayPageBenchOptions {
  script: Script;
  /** The name of the model at the server `local`. */
  model?: string;
}

/** The real `longhaul gateway` before an imitated LM Studio and Ollama, and its page in a real browser. */
export class GatewayPageBench implements AsyncDisposable {
  readonly bench: Bench;
  /** LM Studio with a window of 4,096. */
  readonly local: PersonaServer;
  /** Ollama with a window of 8,192. */
  readonly other: PersonaServer;
  /** What the pages said went wrong: errors of scripts, and what their Content-Security-Policy refused. */
  readonly failures: string[] = [];
  readonly #browser: Browser;
  #running: Running | undefined;
  #url = '';
  #port = 0;
  token = '';

  private constructor(bench: Bench, local: PersonaServer, other: PersonaServer, browser: Browser) {
    this.bench = bench;
    this.local = local;
    this.other = other;
    this.#browser = browser;
  }

  static async open({ script, model }: GatewayPageBenchOptions): Promise<GatewayPageBench> {
    const executablePath = await findChromium();
    if (executablePath === undefined) throw new Error('no Chromium that runs was found');
    const bench = await Bench.open();
    const local = await createPersonaServer({
      persona: 'lmstudio',
      windowTokens: 4_096,
      script,
      ...(model && { model }),
    });
    const other = await createPersonaServer({ persona: 'ollama', windowTokens: 8_192, script });
    await writeFile(
      bench.userFile,
      `# My gateway
gateway:
  upstreams:
    # On this machine.
    - { name: local, baseUrl: "${local.url}" }
    - { name: other, baseUrl: "${other.url}" }
    - { name: away, baseUrl: "http://127.0.0.1:9/v1" }
`,
    );
    const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    const page = new GatewayPageBench(bench, local, other, browser);
    await page.startGateway();
    return page;
  }

  /** The address of the page. */
  get url(): string {
    return this.#url;
  }

  /** Starts the gateway, on the same port as before. */
  async startGateway(): Promise<void> {
    this.#running = this.bench.start(['gateway', '--json', '--port', String(this.#port)]);
    await this.#running.saw('"listening"');
    const said: { port: number; page: { address: string; tokenFile: string } } = JSON.parse(
      this.#running.output().split('\n')[0] ?? '',
    );
    this.#port = said.port;
    this.#url = said.page.address;
    this.token = (await readFile(said.page.tokenFile, 'utf8')).trim();
  }

  async stopGateway(): Promise<void> {
    this.#running?.child.kill('SIGTERM');
    await this.#running?.ended;
  }

  /** Sends a chat as a client does, and returns the answer's status. */
  async chat(model: string, messages: readonly object[]): Promise<number> {
    const response = await fetch(`${this.#url}v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages }),
    });
    await response.text();
    return response.status;
  }

  async newPage(
    viewport = { width: 1_280, height: 800 },
    colorScheme: 'light' | 'dark' = 'light',
  ): Promise<Page> {
    const context = await this.#browser.newContext({ viewport, colorScheme, reducedMotion: 'reduce' });
    const page = await context.newPage();
    page.on('pageerror', (error) => this.failures.push(`pageerror: ${error.message}`));
    page.on('console', (message) => {
      // A browser reports every answer that is not 2xx, also expected ones.
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
        this.failures.push(`console: ${message.text()}`);
    });
    return page;
  }

  /** Types the token, as a person does once. */
  async signIn(page: Page): Promise<void> {
    await page.goto(this.#url);
    await page.getByLabel('Token of this server').fill(this.token);
    await page.getByRole('button', { name: 'Continue' }).click();
    await page.getByRole('heading', { name: 'Conversations' }).waitFor();
  }

  async userFile(): Promise<string> {
    return await readFile(this.bench.userFile, 'utf8');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#browser.close();
    await Promise.all([this.local.close(), this.other.close()]);
    await this.bench[Symbol.asyncDispose]();
  }
}
