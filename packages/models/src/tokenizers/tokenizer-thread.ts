import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import { Worker } from 'node:worker_threads';
import type { TokenizerWorkerData } from './worker-messages.ts';

/** Undefined where the worker's program is not to be found or no thread can be started. */
export function startTokenizerThread(workerData: TokenizerWorkerData): Worker | undefined {
  const url = programUrl();
  if (url === undefined) return undefined;
  try {
    return new Worker(url, { workerData, execArgv: [] });
  } catch {
    return undefined;
  }
}

/** Beside this file, as source or as built; in the package when a bundler has put this file elsewhere. */
function programUrl(): URL | undefined {
  return [() => import.meta.url, packageUrl]
    .map((baseOf) => {
      const base = baseOf();
      if (base === undefined) return undefined;
      const name = `tokenizer-worker${base.endsWith('.ts') ? '.ts' : '.js'}`;
      return new URL(name, base);
    })
    .find((url) => url !== undefined && existsSync(url));
}

function packageUrl(): string | undefined {
  try {
    const index = pathToFileURL(createRequire(import.meta.url).resolve('@longhaul/models'));
    return new URL(`tokenizers/index${index.pathname.slice(-3)}`, index).href;
  } catch {
    return undefined;
  }
}
