import {
  hostedProviderAt,
  listServerModels,
  probeWindow,
  type WindowMemory,
  type WindowReport,
} from '@longhaul/models';
import { catalogueWindow } from './catalogue-window.ts';
import { loadIfIdle } from './ollama-load.ts';
import type { Upstream } from './upstream.ts';

export interface KnownWindow {
  windowTokens: number;
  /** For a person: `Ollama /api/ps`, `an overflow error`, `configuration`. */
  source: string;
}

/** Absent: that source does not know the window. */
export type WindowSources = Record<
  'loaded' | 'learned' | 'configured' | 'catalogue',
  KnownWindow | undefined
>;

export interface WindowBookOptions {
  memory?: WindowMemory | undefined;
  /** Age of a report at which the server is queried again, in the background. */
  maxAgeMs: number;
  /** Minimum time between two queries by `renew` and `windowNow`. Default 2000. */
  renewAfterMs?: number;
  /** Returns the key for an upstream. Default: the upstream's own key. */
  keyFor?: (upstream: Upstream) => string | undefined;
  /** Called when the memory fails to read or store a learned window. */
  onProblem?: (problem: unknown) => void;
  /** Default: `probeWindow`. */
  probe?: typeof probeWindow;
  now?: () => number;
}

const RENEW_AFTER_MS = 2_000;
/** Bounds memory: model names come from clients. */
const MAX_PAGES = 1_000;

interface Page {
  reported?: WindowReport | undefined;
  /** The window that an overflow taught, and the server's report at that time. */
  learned?: { windowTokens: number; source: string; reportedThen: number | undefined } | undefined;
  askedAt: number;
  /** When the last query that was answered began. */
  reportedAt: number;
  /** The last attempt to load the model. */
  loadedAt: number;
  /** The server has been unreachable since the last report, so the next request waits for a new one. */
  isDoubtful?: boolean;
  /** The server was unreachable while a query was running, so that query's report may be too old as well. */
  isDoubtfulAfterQuery?: boolean;
  asking?: Promise<void> | undefined;
  /** Resolves when the window learned by an earlier process has been read from the memory. */
  recalled?: Promise<void>;
}

/**
 * Knows the window of every model. Sources in this order: the server's report of the loaded window; the configuration;
 * for hosted providers the catalogue. A window learned from an overflow replaces a larger one, until the server's
 * report changes.
 *
 * A request waits for a report only if the window is unknown or the server has been unreachable. Otherwise reports are
 * renewed in the background.
 */
export class WindowBook {
  readonly #options: WindowBookOptions;
  readonly #pages = new Map<string, Page>();
  readonly #now: () => number;

  constructor(options: WindowBookOptions) {
    this.#options = options;
    this.#now = options.now ?? Date.now;
  }

  /**
   * Returns the window. Waits for the server if it has never been queried and no window is known, or if it has been
   * unreachable since.
   */
  async windowOf(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    const isOld = this.#now() - page.askedAt >= this.#options.maxAgeMs;
    const isNew = page.askedAt === Number.NEGATIVE_INFINITY && this.known(upstream, model) === undefined;
    if (isNew || page.isDoubtful === true) await this.#ask(upstream, model, page);
    else if (isOld) void this.#ask(upstream, model, page);
    if (page.isDoubtful === true) await this.#ask(upstream, model, page);
    return this.known(upstream, model);
  }

  /**
   * Loads a model whose server reports the window only while it is loaded, and returns the window. Tries at most once
   * per `maxAgeMs`.
   */
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

  /**
   * Queries the server in the background, at most once per `renewAfterMs`: after an answer, a model may have been
   * loaded or reloaded.
   */
  renew(upstream: Upstream, model: string): void {
    const page = this.#pages.get(keyOf(upstream, model));
    if (page !== undefined && this.#isWorthAsking(page)) void this.#ask(upstream, model, page);
  }

  /**
   * Returns the current window: queries the server first, unless it has reported within `renewAfterMs`. A query without
   * a report does not count: a server that restarts does not answer.
   */
  async windowNow(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    const isFresh = this.#now() - page.reportedAt < this.#renewAfterMs;
    return isFresh ? this.known(upstream, model) : this.refresh(upstream, model);
  }

  /** Marks all reports of an unreachable server as doubtful: the next request waits for a new report. */
  doubt(upstream: Upstream): void {
    for (const [key, page] of this.#pages) {
      if (!key.startsWith(`${upstream.name}\n`)) continue;
      page.isDoubtful = true;
      page.isDoubtfulAfterQuery = page.asking !== undefined;
    }
  }

  /** Returns the known window without a query. */
  known(upstream: Upstream, model: string): KnownWindow | undefined {
    const { loaded, learned, configured, catalogue } = this.sourcesOf(upstream, model);
    const best = loaded ?? configured ?? catalogue;
    if (learned === undefined) return best;
    return best === undefined || learned.windowTokens < best.windowTokens ? learned : best;
  }

  /** Returns the window by each of its sources, without a query. */
  sourcesOf(upstream: Upstream, model: string): WindowSources {
    const { reported, learned } = this.#pages.get(keyOf(upstream, model)) ?? {};
    const { windowTokens } = upstream.settingsOf(model);
    return {
      loaded: reported && { windowTokens: reported.windowTokens, source: reported.source },
      learned: learned && { windowTokens: learned.windowTokens, source: learned.source },
      configured: windowTokens === undefined ? undefined : { windowTokens, source: 'configuration' },
      catalogue: catalogueWindow(upstream.baseUrl, model),
    };
  }

  /** Returns the window of the server's last report. */
  reported(upstream: Upstream, model: string): number | undefined {
    return this.reportOf(upstream, model)?.windowTokens;
  }

  /** Returns the server's last report. */
  reportOf(upstream: Upstream, model: string): WindowReport | undefined {
    return this.#pages.get(keyOf(upstream, model))?.reported;
  }

  /** Queries the server whatever is known, for example after an error or a load, and returns the window. */
  async refresh(upstream: Upstream, model: string): Promise<KnownWindow | undefined> {
    const page = await this.#page(upstream, model);
    // A query that is already running may have been answered before the event that the caller has seen.
    await page.asking;
    await this.#ask(upstream, model, page);
    return this.known(upstream, model);
  }

  /**
   * Queries the windows of all these models at once. Only for servers of local models: a hosted provider reports none.
   * Never throws.
   */
  async refreshAll(upstream: Upstream, models: readonly string[]): Promise<void> {
    const { baseUrl, askTimeoutMs: timeoutMs, process } = upstream;
    if (hostedProviderAt(baseUrl) !== undefined) return;
    const beganAt = this.#now();
    const reports = await listServerModels(baseUrl, {
      apiKey: this.#keyFor(upstream),
      timeoutMs,
      fetch: process?.fetch,
    });
    const noted = models.map(async (model) => {
      const report = reports.find(({ id, aliases }) => id === model || aliases?.includes(model));
      if (report?.windowTokens === undefined) return;
      const page = await this.#page(upstream, model);
      await this.#forgetWithMemory(upstream, model, page);
      const { windowTokens, source, acceptsImages, slots } = report;
      await this.#note(upstream, model, {
        page,
        beganAt,
        report: { windowTokens, source, acceptsImages, slots },
      });
    });
    await Promise.all(noted);
  }

  /**
   * Stores a window that a refusal or a silent cut has shown, unless the server reports a larger one and answers
   * several requests at the same time.
   */
  async learn(upstream: Upstream, model: string, { windowTokens, source }: KnownWindow): Promise<void> {
    const page = await this.#page(upstream, model);
    const { windowTokens: reportedTokens, slots = 1 } = page.reported ?? {};
    // The space that other requests take in a shared window changes.
    if (slots > 1 && reportedTokens !== undefined && windowTokens < reportedTokens) return;
    // The memory first: a learned window that is missing there counts as forgotten.
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
    const never = Number.NEGATIVE_INFINITY;
    const page: Page = { askedAt: never, reportedAt: never, loadedAt: never };
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
      page.isDoubtful = page.isDoubtfulAfterQuery === true;
      page.isDoubtfulAfterQuery = false;
      page.askedAt = this.#now();
    });
    return page.asking;
  }

  async #probe(upstream: Upstream, model: string, page: Page): Promise<void> {
    await this.#forgetWithMemory(upstream, model, page);
    const { probe = probeWindow } = this.#options;
    const { baseUrl, askTimeoutMs: timeoutMs, process } = upstream;
    const beganAt = this.#now();
    const apiKey = this.#keyFor(upstream);
    const report = await probe({ baseUrl, model, apiKey, timeoutMs, fetch: process?.fetch });
    // The model is unloaded or the server unreachable. The last report is the best guess for the next load.
    if (report === undefined) return;
    await this.#note(upstream, model, { page, beganAt, report });
  }

  async #note(
    { baseUrl }: Upstream,
    model: string,
    { page, beganAt, report }: { page: Page; beganAt: number; report: WindowReport },
  ): Promise<void> {
    page.reported = report;
    page.reportedAt = beganAt;
    if (page.learned === undefined || page.learned.reportedThen === report.windowTokens) return;
    page.learned = undefined;
    await this.#remember((memory) => memory.forgetWindow({ baseUrl, model }));
  }

  /** Forgets a learned window that another process has removed from the memory. */
  async #forgetWithMemory({ baseUrl }: Upstream, model: string, page: Page): Promise<void> {
    const { learned } = page;
    if (learned === undefined) return;
    const isKept = await this.#remember(
      async (memory) => (await memory.learnedWindow({ baseUrl, model })) !== undefined,
    );
    if (isKept === false && page.learned === learned) page.learned = undefined;
  }

  #isWorthAsking({ askedAt }: Page): boolean {
    return this.#now() - askedAt >= this.#renewAfterMs;
  }

  get #renewAfterMs(): number {
    return this.#options.renewAfterMs ?? RENEW_AFTER_MS;
  }

  #keyFor(upstream: Upstream): string | undefined {
    return this.#options.keyFor?.(upstream) ?? upstream.apiKey;
  }

  /** A failing memory may cost another refusal, but never the request. */
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
