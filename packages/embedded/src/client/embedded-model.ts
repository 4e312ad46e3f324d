import { realpath } from 'node:fs/promises';
import { untilAborted } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { checkHeader } from '../engine/gguf-header.ts';
import type { ModelProcessOptions } from '../process/model-process.ts';
import { type ModelFacts, readFacts } from './model-facts.ts';
import { socketFetch } from './socket-fetch.ts';
import { modelId, socketPlace } from './socket-place.ts';
import { startModelProcess } from './start-process.ts';

export interface EmbeddedModelOptions {
  /** The GGUF file. */
  path: string;
  /** The folder of the embedded models, which has the library and the states. */
  folder: string;
  env: Readonly<Record<string, string | undefined>>;
  /** Window in tokens. Default: from the free memory. A process that runs already keeps its own. */
  windowTokens?: number | undefined;
  /** Milliseconds without a request after which the process ends. Default: 10 minutes. */
  idleMs?: number | undefined;
  /**
   * The process ends with this program, however this one ends. Default false: it outlives this program for other ones.
   */
  endsWithClient?: boolean | undefined;
  /** Bytes of the states of all models on disk. Default: 4 GB. 0: none. */
  stateBytes?: number | undefined;
  /** Default true: where the library finds one. */
  gpu?: boolean | undefined;
}

/** A model in a process of its own on this machine. */
export interface EmbeddedModel {
  /** Where the process listens. */
  socketPath: string;
  /** Starts the process unless it runs. */
  start(): Promise<void>;
  /** Makes requests to the process, whatever their host. Starts it if none runs. */
  fetch: typeof globalThis.fetch;
  /** Starts the process if none runs, and waits for its model. @throws {LonghaulError} The model cannot be loaded; `cancelled`. */
  facts(signal?: AbortSignal): Promise<ModelFacts>;
}

/** @throws {LonghaulError} `config_invalid`: the file cannot be read, or is no model. */
export async function connectEmbeddedModel(options: EmbeddedModelOptions): Promise<EmbeddedModel> {
  const { path, id } = await identified(options.path);
  const socket = await socketPlace(id, options.env);
  const start = sharedStart({
    path,
    id,
    socket,
    folder: options.folder,
    windowTokens: options.windowTokens,
    idleMs: options.idleMs ?? 10 * 60_000,
    endsWithClient: options.endsWithClient ?? false,
    stateBytes: options.stateBytes ?? 4e9,
    gpu: options.gpu ?? true,
  });
  const send = socketFetch(socket);
  const fetch: typeof globalThis.fetch = async (input, init) => {
    try {
      return await send(input, init);
    } catch (thrown) {
      // No process, or it ended before it answered. Nothing of an answer was seen, so the request can be sent again.
      if (init?.signal?.aborted === true || !isConnectionFailure(thrown)) throw thrown;
    }
    await (init?.signal ? untilAborted(start(), init.signal) : start());
    return await send(input, init);
  };
  return { socketPath: socket, start, fetch, facts: (signal) => loadedFacts(fetch, signal) };
}

/** A process that ends while it loads has usually used all memory. */
async function loadedFacts(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<ModelFacts> {
  try {
    return await readFacts(fetch, signal);
  } catch (thrown) {
    if (signal?.aborted === true)
      throw new LonghaulError('cancelled', 'The model was being loaded, and nobody waits for it any more.', {
        cause: thrown,
      });
    if (!isConnectionFailure(thrown)) throw thrown;
    throw new LonghaulError(
      'provider_unreachable',
      'The process of the embedded model ended while it loaded the model. Perhaps the memory was full: choose a smaller model or window, or try again.',
      { cause: thrown },
    );
  }
}

async function identified(file: string): Promise<{ path: string; id: string }> {
  try {
    const path = await realpath(file);
    await checkHeader(path);
    return { path, id: await modelId(path) };
  } catch (cause) {
    if (cause instanceof LonghaulError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError('config_invalid', `The model file ${file} cannot be read: ${why}.`, { cause });
  }
}

const FAILURES = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE']);

function isConnectionFailure(thrown: unknown): boolean {
  const cause = thrown instanceof Error ? thrown.cause : undefined;
  return cause instanceof Error && 'code' in cause && FAILURES.has(String(cause.code));
}

/** Requests at the same time start one process. */
function sharedStart(options: ModelProcessOptions): () => Promise<void> {
  let starting: Promise<void> | undefined;
  return async () => {
    starting ??= startModelProcess(options).finally(() => {
      starting = undefined;
    });
    await starting;
  };
}
