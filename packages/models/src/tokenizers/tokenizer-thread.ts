import { existsSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { TokenizerWorkerData } from './worker-messages.ts';

/** Returns undefined if the worker's program is not found, or if no thread can be started. */
export function startTokenizerThread(workerData: TokenizerWorkerData): Worker | undefined {
  const url = programUrl();
  if (url === undefined) return undefined;
  try {
    return new Worker(url, { workerData, execArgv: [] });
  } catch {
    return undefined;
  }
}

/** The worker's module is next to this file, as source or as a build. */
function programUrl(): URL | undefined {
  const name = import.meta.url.endsWith('.ts') ? 'tokenizer-worker.ts' : 'tokenizer-worker.js';
  const url = new URL(name, import.meta.url);
  return existsSync(url) ? url : undefined;
}
