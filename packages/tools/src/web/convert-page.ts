import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { PageSource, PageText } from './page-text.ts';
import { WebRefusal } from './web-refusal.ts';

export interface ConvertOptions {
  signal: AbortSignal;
  /** How long the conversion may take. */
  deadlineMs: number;
}

const MAX_MEMORY_MB = 512;

/**
 * Converts a page to Markdown in a thread of its own: parsers can take any time and any memory with what a stranger wrote.
 *
 * @throws {WebRefusal} if that fails, or takes too long. The signal's reason.
 */
export async function convertPage(
  source: PageSource,
  { signal, deadlineMs }: ConvertOptions,
): Promise<PageText> {
  const late = new AbortController();
  const ends = AbortSignal.any([signal, late.signal]);
  // An empty environment: this process's contains keys.
  const worker = new Worker(workerUrl(), {
    workerData: source,
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: MAX_MEMORY_MB },
    stdout: true,
    stderr: true,
  });
  const timer = setTimeout(() => late.abort(), deadlineMs);
  try {
    const [text]: PageText[] = await once(worker, 'message', { signal: ends });
    if (text === undefined) throw new TypeError('The thread sent nothing.');
    return text;
  } catch (error) {
    signal.throwIfAborted();
    throw new WebRefusal(
      late.signal.aborted ? `it takes more than ${deadlineMs / 1_000} seconds` : reasonOf(error),
    );
  } finally {
    clearTimeout(timer);
    await worker.terminate();
  }
}

/** The worker's module is next to this file, as source or as a build. */
function workerUrl(): URL {
  const isSource = import.meta.url.endsWith('.ts');
  return new URL(isSource ? './page-worker.ts' : './page-worker.js', import.meta.url);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the converter failed';
  if ('code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY') return 'it needs too much memory';
  return error instanceof RangeError ? 'it is nested too deeply' : error.message.slice(0, 200);
}
