import { type MessagePort, parentPort, workerData } from 'node:worker_threads';
import type { PackBlobs } from '../format/pack-source.ts';
import type { PutPack } from '../record/pack-queue.ts';
import { type FilesStep, WorkspaceRecorder } from '../record/workspace-recorder.ts';
import {
  type BlobRequest,
  type FromWorker,
  type Outcome,
  outcomeOf,
  resultOf,
  type ToWorker,
  type WorkerData,
} from './messages.ts';

/** The program of a worker thread that records and restores one workspace. */
class RecorderWorker {
  readonly #port: MessagePort;
  readonly #data: WorkerData;
  readonly #asked = new Map<number, (outcome: Outcome) => void>();
  #asks = 0;
  #recorder: Promise<WorkspaceRecorder> | undefined;
  #jobs: Promise<void> = Promise.resolve();

  constructor(port: MessagePort, data: WorkerData) {
    this.#port = port;
    this.#data = data;
    port.on('message', (message: ToWorker) => this.#receive(message));
  }

  #receive(message: ToWorker): void {
    if (message.type === 'answer') {
      this.#asked.get(message.id)?.(message.outcome);
      this.#asked.delete(message.id);
      return;
    }
    this.#jobs = this.#jobs.then(async () => {
      const outcome = await outcomeOf(() => this.#do(message));
      this.#send({ type: 'done', id: message.id, outcome });
    });
  }

  async #do(message: Exclude<ToWorker, { type: 'answer' }>): Promise<unknown> {
    if (message.type === 'close') return (await this.#recorder?.catch(() => undefined))?.close();
    this.#recorder ??= this.#open();
    this.#recorder.catch(() => {
      this.#recorder = undefined;
    });
    const recorder = await this.#recorder;
    return message.type === 'record' ? recorder.record() : recorder.restore(message.tree, message.except);
  }

  #open(): Promise<WorkspaceRecorder> {
    const { workspace, tree, cacheFolder, key, settings, steps } = this.#data;
    const passed =
      steps === undefined
        ? () => undefined
        : (step: FilesStep, path: string) => this.#report(step, path, steps);
    return WorkspaceRecorder.open(
      { workspace, blobs: this.#blobs(), cacheFolder, key, settings, now: Date.now, passed },
      tree,
    );
  }

  /** Waits until the main thread has seen the step. */
  #report(step: FilesStep, path: string, steps: SharedArrayBuffer): void {
    const flag = new Int32Array(steps);
    Atomics.store(flag, 0, 0);
    this.#send({ type: 'step', step, path });
    Atomics.wait(flag, 0, 0);
  }

  #blobs(): PackBlobs & { putPack: PutPack } {
    return {
      // The main thread answers with what the blob store returns.
      read: async (blob, range) => (await this.#ask({ kind: 'read', blob, ...range })) as Uint8Array,
      stat: async (blob) => (await this.#ask({ kind: 'stat', blob })) as { size: number } | undefined,
      putPack: async ({ id, bytes }) => void (await this.#ask({ kind: 'put', blob: id, bytes })),
    };
  }

  async #ask(ask: BlobRequest): Promise<unknown> {
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    this.#asks += 1;
    this.#asked.set(this.#asks, resolve);
    this.#send({ type: 'ask', id: this.#asks, ask });
    return resultOf(await promise);
  }

  #send(message: FromWorker): void {
    this.#port.postMessage(message);
  }
}

if (parentPort !== null) new RecorderWorker(parentPort, workerData);
