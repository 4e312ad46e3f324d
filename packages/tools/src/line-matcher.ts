import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LonghaulError } from '@longhaul/protocol';

export interface LineMatcherData {
  source: string;
  flags: string;
}

export interface LineMatcherOptions {
  expression: RegExp;
  /** Ends the work in progress. */
  signal: AbortSignal;
  /** How long one text may take. */
  deadlineMs: number;
  /** Message of the error at the deadline. */
  tooSlow?: string;
}

/**
 * Matches lines against a regular expression in a thread of its own, because JavaScript's regular expressions can take
 * exponential time. The thread ends when the matcher is disposed, at an abort, and at the deadline.
 */
export class LineMatcher implements AsyncDisposable {
  readonly #options: LineMatcherOptions;
  #worker: Worker | undefined;

  constructor(options: LineMatcherOptions) {
    this.#options = options;
  }

  /**
   * Returns the indexes of the text's matching lines. Call it for one text at a time.
   *
   * @throws {LonghaulError} `invalid_request` at the deadline.
   * @throws The signal's reason.
   */
  async matchingLines(text: string): Promise<ReadonlySet<number>> {
    const { signal, deadlineMs, tooSlow = tookTooLong(deadlineMs) } = this.#options;
    signal.throwIfAborted();
    this.#worker ??= await startWorker(this.#options.expression);
    const worker = this.#worker;
    signal.throwIfAborted();
    const ended = new AbortController();
    const timer = setTimeout(() => ended.abort(new LonghaulError('invalid_request', tooSlow)), deadlineMs);
    const ends = AbortSignal.any([signal, ended.signal]);
    try {
      const answer = once(worker, 'message', { signal: ends });
      worker.postMessage(text);
      const [indexes] = await answer;
      return new Set<number>(indexes);
    } catch (error) {
      await this[Symbol.asyncDispose]();
      throw ends.aborted ? ends.reason : error;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    this.#worker = undefined;
    await worker?.terminate();
  }
}

/** The worker's module is next to this file, as source or as a build. */
async function startWorker({ source, flags }: RegExp): Promise<Worker> {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './line-matcher-worker.ts' : './line-matcher-worker.js', import.meta.url);
  const workerData: LineMatcherData = { source, flags };
  // An empty environment: this process's contains keys.
  const worker = new Worker(url, { workerData, env: {}, execArgv: [] });
  // Its first message: the program is loaded, so the deadline measures the matching alone.
  await once(worker, 'message');
  return worker;
}

function tookTooLong(deadlineMs: number): string {
  return `\`pattern\` took more than ${deadlineMs} ms on one file, so the search was stopped. Avoid nested repetitions such as (a+)+, or search with a simpler pattern.`;
}
