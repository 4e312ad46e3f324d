import { probeWindow, type WindowMemory, type WindowReport } from '@longhaul/models';
import { catalogueWindow } from './catalogue-window.ts';
import { loadIfIdle } from './ollama-load.ts';
import type { Upstream } from './upstream.ts';

export interface KnownWindow {
  windowTokens: number;
  /** In words: `Ollama /api/ps`, `an overflow error`, `configuration`. */
  source: string;
}

export interface WindowBookOptions {
  memory?: WindowMemory | undefined;
  /** Age of a report at which the server is asked again. */
  maxAgeMs: number;
  /** Age at which it is asked for a reason. Default 2000. */
  renewAfterMs?: number;
  /** Default: the upstream's own. */
  keyFor?: (upstream: Upstream) => string | undefined;
  /** What was learned could not be kept, or read. */
  onProblem?: (problem: unknown) => void;
  /** Default: `probeWindow`. */
  probe?: typeof probeWindow;
  now?: () => number;
}

/** A server is not asked again with every request. */
const RENEW_AFTER_MS = 2_000;
/** A client that invents models must not fill the memory. */
const MAX_PAGES = 1_000;

interface Page {
  reported?: WindowReport | undefined;
  /** What an overflow taught, and what the server reported then. */
  learned?: { windowTokens: number; source: string; reportedThen: number | undefined } | undefined;
  askedAt: number;
  /** When an idle model was to be loaded. */
  loadedAt: number;
  /** The server was away since. */
  isDoubtful?: boolean;
  /** It was found to be away while it was asked: what it said may be older. */
  isDoubtedAnew?: boolean;
  asking?: Promise<void> | undefined;
  /** Done when what was learned in an earlier process is known. */
  recalled?: Promise<void>;
}

/**
 * Knows the window of every model: what an overflow error taught, until the server reports another length; the server's own report of
 * the loaded length; configuration; for hosted providers the catalogue. A window that is known never keeps a request waiting: its report is renewed beside it.
 */
export class WindowBook {
  readonly #options: WindowBookOptions;
  readonly #pages = new Map<string, Page>();
  readonly #now: () => number;

  constructor(options: WindowBookOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /** Waits for the server's answer only where it has never been asked, or has been away since. */
  async windowOf(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    const isOld = this.#now() - page.askedAt >= this.#options.maxAgeMs;
    const isNew = page.askedAt === Number.NEGATIVE_INFINITY && this.known(upstream, model) === undefined;
    if (isNew || page.isDoubtful === true) await this.#ask(upstream, model, page);
    else if (isOld) void this.#ask(upstream, model, page);
    if (page.isDoubtful === true) await this.#ask(upstream, model, page);
    return this.known(upstream, model);
  }

  /** For a model that says its window only once it is loaded: loads it, if that has not been tried of late. */
  async windowOnceLoaded(
    upstream: Upstream,
    model: string,
    signal: AbortSignal,
  ): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    if (this.#now() - page.loadedAt < this.#options.maxAgeMs) return undefined;
    page.loadedAt = this.#now();
    const hasLoaded = await loadIfIdle(upstream, { model, apiKey: this.#keyFor(upstream), signal });
    return hasLoaded ? this.refresh(upstream, model) : undefined;
  }

  /** After an answer: a model may be loaded by now, or loaded anew. Beside everything else, and not too often. */
  renew(upstream: Upstream, model: string): void {
    const page = this.#pages.get(keyOf(upstream, model));
    if (page !== undefined && this.#isWorthAsking(page)) void this.#ask(upstream, model, page);
  }

  /** Before much is done because of it: the window as it is now, where the server was not asked of late. */
  async windowNow(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    return this.#isWorthAsking(page) ? this.refresh(upstream, model) : this.known(upstream, model);
  }

  /** The server is away: with whatever it comes back, the next request waits for what it says then. */
  doubt(upstream: Upstream): void {
    for (const [key, page] of this.#pages) {
      if (!key.startsWith(`${upstream.name}\n`)) continue;
      page.isDoubtful = true;
      page.isDoubtedAnew = page.asking !== undefined;
    }
  }

  /** What is known now, without asking anyone. */
  known(upstream: Upstream, model: string): KnownWindow | undefined {
    const page = this.#pages.get(keyOf(upstream, model));
    const configured = upstream.settingsOf(model).windowTokens;
    const best =
      page?.reported ??
      (configured === undefined
        ? catalogueWindow(upstream.baseUrl, model)
        : { windowTokens: configured, source: 'configuration' });
    const { learned } = page ?? {};
    if (learned === undefined) return best;
    return best === undefined || learned.windowTokens < best.windowTokens ? learned : best;
  }

  /** What the server itself reported last. */
  reported(upstream: Upstream, model: string): number | undefined {
    return this.#pages.get(keyOf(upstream, model))?.reported?.windowTokens;
  }

  /** Asks the server again, whatever is known: after an error, or once a model has been loaded. */
  async refresh(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    // Who is being asked may have answered before what the caller has seen.
    await page.asking;
    await this.#ask(upstream, model, page);
    return this.known(upstream, model);
  }

  /** The server has shown what its window is, by a refusal or by what it left out. */
  async learn(upstream: Upstream, model: string, { windowTokens, source }: KnownWindow): Promise<void> {
    const page = await this.#page(upstream, model);
    // In the memory first: what is not there was forgotten.
    await this.#remember((memory) => memory.learnWindow({ baseUrl: upstream.baseUrl, model }, windowTokens));
    page.learned = { windowTokens, source, reportedThen: page.reported?.windowTokens };
  }

  async #page(upstream: Upstream, model: string): Promise<Page> {
    const key = keyOf(upstream, model);
    const known = this.#pages.get(key);
    if (known !== undefined) {
      await known.recalled;
      return known;
    }
    if (this.#pages.size >= MAX_PAGES) this.#pages.delete(this.#pages.keys().next().value ?? '');
    const page: Page = { askedAt: Number.NEGATIVE_INFINITY, loadedAt: Number.NEGATIVE_INFINITY };
    this.#pages.set(key, page);
    page.recalled = this.#recall(upstream, model, page);
    await page.recalled;
    return page;
  }

  async #recall({ baseUrl }: Upstream, model: string, page: Page): Promise<void> {
    const windowTokens = await this.#remember((memory) => memory.learnedWindow({ baseUrl, model }));
    if (windowTokens !== undefined && page.learned === undefined)
      page.learned = { windowTokens, source: 'an earlier overflow', reportedThen: undefined };
  }

  #ask(upstream: Upstream, model: string, page: Page): Promise<void> {
    page.asking ??= this.#probe(upstream, model, page).finally(() => {
      page.asking = undefined;
      page.isDoubtful = page.isDoubtedAnew === true;
      page.isDoubtedAnew = false;
      page.askedAt = this.#now();
    });
    return page.asking;
  }

  async #probe(upstream: Upstream, model: string, page: Page): Promise<void> {
    await this.#forgetWithMemory(upstream, model, page);
    const { probe = probeWindow } = this.#options;
    const { baseUrl, askTimeoutMs: timeoutMs } = upstream;
    const apiKey = this.#keyFor(upstream);
    const key = apiKey === undefined ? {} : { apiKey };
    const patience = timeoutMs === undefined ? {} : { timeoutMs };
    const report = await probe({ baseUrl, model, ...key, ...patience });
    // Unloaded, or away: what it said last is the best guess of how it will be loaded again.
    if (report === undefined) return;
    page.reported = report;
    if (page.learned === undefined || page.learned.reportedThen === report.windowTokens) return;
    page.learned = undefined;
    await this.#remember((memory) => memory.forgetWindow({ baseUrl, model }));
  }

  /** Another process may have been told to forget it. */
  async #forgetWithMemory({ baseUrl }: Upstream, model: string, page: Page): Promise<void> {
    const { learned } = page;
    if (learned === undefined) return;
    const isKept = await this.#remember(
      async (memory) => (await memory.learnedWindow({ baseUrl, model })) !== undefined,
    );
    if (isKept === false && page.learned === learned) page.learned = undefined;
  }

  #isWorthAsking({ askedAt }: Page): boolean {
    return this.#now() - askedAt >= (this.#options.renewAfterMs ?? RENEW_AFTER_MS);
  }

  #keyFor(upstream: Upstream): string | undefined {
    return this.#options.keyFor?.(upstream) ?? upstream.apiKey;
  }

  /** A memory that fails costs a refusal more, not the request. */
  async #remember<Value>(use: (memory: WindowMemory) => Promise<Value>): Promise<Value | undefined> {
    const { memory, onProblem } = this.#options;
    if (memory === undefined) return undefined;
    return use(memory).catch((problem) => {
      onProblem?.(problem);
      return undefined;
    });
  }
}

function keyOf(upstream: Upstream, model: string): string {
  return `${upstream.name}\n${model}`;
}
