import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ChatCompletion } from '@longhaul/protocol';
import { processExists } from '@longhaul/testing/machine';
import { type TinyModelOptions, writeTinyModel } from '@longhaul/testing/tiny-model';
import { connectEmbeddedModel, type EmbeddedModel } from '../src/index.ts';

export interface Answered extends ChatCompletion {
  timings: { cache_n: number; prompt_n: number };
}

/** A folder with a tiny model, whose processes end with it. */
export class TinyPlace implements AsyncDisposable {
  readonly folder: string;
  readonly #pids = new Set<number>();

  /** A place that another program has opened. */
  constructor(folder: string) {
    this.folder = folder;
  }

  static async open(model: TinyModelOptions): Promise<TinyPlace> {
    const place = new TinyPlace(await mkdtemp(join(tmpdir(), 'longhaul-tiny-')));
    await writeTinyModel(join(place.folder, 'tiny.gguf'), model);
    return place;
  }

  connect(
    options: { windowTokens?: number; stateBytes?: number; idleMs?: number; endsWithClient?: boolean } = {},
  ): Promise<EmbeddedModel> {
    return connectEmbeddedModel({
      path: join(this.folder, 'tiny.gguf'),
      folder: this.folder,
      env: { XDG_RUNTIME_DIR: this.folder },
      gpu: false,
      endsWithClient: true,
      ...options,
    });
  }

  /** Starts the process of the model if none runs, and returns its id. */
  async pid(model: EmbeddedModel): Promise<number> {
    const { pid } = await model.facts();
    this.#pids.add(pid);
    return pid;
  }

  /** Ends the process of the model, and waits until it has ended. */
  async end(pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    this.#pids.delete(pid);
    process.kill(pid, signal);
    while (processExists(pid)) await sleep(10);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of this.#pids) if (processExists(pid)) await this.end(pid, 'SIGKILL');
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

export async function chat(model: EmbeddedModel, body: object): Promise<Answered> {
  const response = await post(model, '/v1/chat/completions', body);
  return JSON.parse(await response.text());
}

export function post(
  model: EmbeddedModel,
  path: string,
  body: object,
  signal?: AbortSignal,
): Promise<Response> {
  const init = { method: 'POST', body: JSON.stringify(body) };
  return model.fetch(`http://model${path}`, signal === undefined ? init : { ...init, signal });
}
