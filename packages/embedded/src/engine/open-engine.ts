import { stat } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';
import { LonghaulError } from '@longhaul/protocol';
import type { LlamaModel } from '../library/llama-types.ts';
import { loadLibrary } from '../library/load-library.ts';
import type { Engine } from './engine.ts';
import { fitMemory, tooLarge } from './fit-memory.ts';
import { checkDescription } from './gguf-header.ts';
import { LlamaEngine } from './llama-engine.ts';
import { measureThreads } from './measure-threads.ts';
import { StateStore } from './state-store.ts';

export interface EngineOptions {
  /** The GGUF file. */
  path: string;
  /** The folder of the embedded models, which has the library and the states. */
  folder: string;
  /** Names the model in its states' folder. Another file has another id. */
  id: string;
  windowTokens?: number | undefined;
  /** Bytes of the states of all models on disk. */
  stateBytes: number;
  gpu: boolean;
}

/** Loads a model. @throws {LonghaulError} `config_invalid` */
export async function openEngine(options: EngineOptions): Promise<Engine> {
  await checkDescription(options.path);
  const libraries = await loadLibrary(options.folder);
  const llama = await libraries.llama.getLlama({
    gpu: options.gpu ? 'auto' : false,
    build: 'never',
    skipDownload: true,
    logLevel: 'error',
    progressLogs: false,
  });
  // A file that is read through memory still counts as free, so the memory is measured before.
  const freeBefore = process.availableMemory();
  const { size } = await stat(options.path);
  if (llama.gpu === false && options.windowTokens === undefined && size > freeBefore)
    throw tooLarge(size, freeBefore);
  const model = await loaded(() => llama.loadModel({ modelPath: options.path }), options.path);
  const fitted = await fitMemory(model, {
    ...(llama.gpu === false
      ? { freeBytes: freeBefore, modelBytes: model.size }
      : { freeBytes: process.availableMemory(), modelBytes: 0 }),
    wanted: options.windowTokens,
  });
  const { windowTokens, slots } = fitted;
  const threads = await measureThreads(model, Math.min(llama.cpuMathCores, availableParallelism()));
  const context = await loaded(
    () => model.createContext({ contextSize: windowTokens, sequences: slots, threads }),
    options.path,
  );
  return new LlamaEngine({
    libraries,
    llama,
    model,
    context,
    states: new StateStore(
      join(options.folder, 'states', `${options.id}-${windowTokens}`),
      options.stateBytes,
    ),
    facts: {
      model: nameOf(model, options.path),
      windowTokens,
      trainedTokens: model.trainContextSize,
      slots,
      windowSource: fitted.source,
      gpu: llama.gpu,
      threads,
    },
  });
}

async function loaded<Value>(load: () => Promise<Value>, path: string): Promise<Value> {
  try {
    return await load();
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new LonghaulError(
      'config_invalid',
      `The model ${path} cannot be loaded: ${why}. It must be a whole file in GGUF format, of a kind that llama.cpp knows.`,
      { cause },
    );
  }
}

function nameOf({ fileInfo }: LlamaModel, path: string): string {
  const general = fileInfo.metadata['general'];
  const name = typeof general === 'object' && general !== null ? Reflect.get(general, 'name') : undefined;
  return typeof name === 'string' && name !== '' ? name : basename(path, '.gguf');
}
