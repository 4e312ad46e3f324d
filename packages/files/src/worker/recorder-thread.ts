import { Worker } from 'node:worker_threads';
import type { BlobStore, FileRecorder, RecordedChange, Restored } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { damaged } from '../format/pack-source.ts';
import type { FilesStep } from '../record/workspace-recorder.ts';
import {
  type BlobRequest,
  type FromWorker,
  type Outcome,
  outcomeOf,
  resultOf,
  type ToWorker,
  type WorkerData,
} from './messages.ts';

export interface RecorderThreadOptions extends Omit<WorkerData, 'steps'> {
  blobs: BlobStore;
  /** Only a test gives it. The worker waits for its return. */
  passed: ((step: FilesStep, path: string) => void) | undefined;
}

type Job =
  | { type: 'record' | 'close' }
  | { type: 'restore'; tree: string; except: ReadonlySet<string> | undefined };

/**
 * Records and restores one workspace in a thread of its own. The thread reads, hashes and compresses; this one gives it
 * the blob store. A thread that dies is replaced at the next call.
 */
export class RecorderThread implements FileRecorder {
  readonly #options: RecorderThreadOptions;
  readonly #steps: Int32Array<SharedArrayBuffer> | undefined;
  readonly #waiting = new Map<number, PromiseWithResolvers<Outcome>>();
  #worker: Worker | undefined;
  #jobs = 0;
  /** What the next thread begins with. */
  #tree: string | undefined;

  constructor(options: RecorderThreadOptions) {
    this.#options = options;
    this.#tree = options.tree;
    this.#steps = options.passed === undefined ? undefined : new Int32Array(new SharedArrayBuffer(4));
  }

  async record(): Promise<RecordedChange | undefined> {
    const change = (await this.#run({ type: 'record' })) as RecordedChange | undefined;
    if (change !== undefined) this.#tree = change.after;
    return change;
  }

  async restore(tree: string, { except }: { except?: ReadonlySet<string> } = {}): Promise<Restored> {
    const restored = (await this.#run({ type: 'restore', tree, except })) as Restored;
    this.#tree = tree;
    return restored;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker;
    if (worker === undefined) return;
    // A thread that dies now has nothing to lose but its cache.
    await this.#run({ type: 'close' }).catch(() => undefined);
    this.#worker = undefined;
    await worker.terminate();
  }

  async #run(job: Job): Promise<unknown> {
    this.#worker ??= this.#start();
    const waiting = Promise.withResolvers<Outcome>();
    this.#jobs += 1;
    const id = this.#jobs;
    this.#waiting.set(id, waiting);
    this.#worker.ref();
    this.#send({ ...job, id });
    try {
      return resultOf(await waiting.promise);
    } finally {
      this.#waiting.delete(id);
      // An idle thread does not keep the process alive.
      if (this.#waiting.size === 0) this.#worker?.unref();
    }
  }

  #start(): Worker {
    const { workspace, cacheFolder, key, settings } = this.#options;
    const workerData: WorkerData = {
      workspace,
      tree: this.#tree,
      cacheFolder,
      key,
      settings,
      steps: this.#steps?.buffer,
    };
    // The worker's module is next to this file, as source or as a build. An empty environment: this process's contains
    // keys.
    const isSource = import.meta.url.endsWith('.ts');
    const url = new URL(isSource ? './recorder-worker.ts' : './recorder-worker.js', import.meta.url);
    const worker = new Worker(url, {
      workerData,
      env: {},
      execArgv: isSource ? ['--conditions=longhaul-src'] : [],
    });
    worker.on('message', (message: FromWorker) => void this.#receive(message));
    worker.on('error', (error) => this.#fail(worker, error));
    worker.on('exit', () => this.#fail(worker, new Error('it ended')));
    return worker;
  }

  async #receive(message: FromWorker): Promise<void> {
    if (message.type === 'done') {
      this.#waiting.get(message.id)?.resolve(message.outcome);
    } else if (message.type === 'ask') {
      const outcome = await outcomeOf(() => this.#answer(message.ask));
      this.#send({ type: 'answer', id: message.id, outcome });
    } else if (this.#steps !== undefined) {
      this.#options.passed?.(message.step, message.path);
      Atomics.store(this.#steps, 0, 1);
      Atomics.notify(this.#steps, 0);
    }
  }

  async #answer(ask: BlobRequest): Promise<unknown> {
    const { blobs } = this.#options;
    if (ask.kind === 'read') return blobs.read(ask.blob, { start: ask.start, length: ask.length });
    if (ask.kind === 'stat') return blobs.stat(ask.blob);
    const { id } = await blobs.put(ask.bytes);
    // The bytes changed on their way, such as in broken memory.
    if (id !== ask.blob) throw damaged(ask.blob);
    return undefined;
  }

  #fail(worker: Worker, error: unknown): void {
    if (this.#worker !== worker) return;
    this.#worker = undefined;
    const reason = error instanceof Error ? error.message : String(error);
    const failure = new LonghaulError(
      'internal',
      `The thread that records files ended unexpectedly: ${reason}`,
      {
        cause: error,
      },
    );
    for (const { reject } of this.#waiting.values()) reject(failure);
  }

  #send(message: ToWorker): void {
    this.#worker?.postMessage(message);
  }
}
