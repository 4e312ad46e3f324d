import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { LonghaulError } from '@longhaul/protocol';
import type { LineCounts } from '../diff/content-diff.ts';
import { type ContentDiffer, directDiffer } from '../diff/content-differ.ts';
import type { ThreeContents } from '../merge/merge-contents.ts';
import type { LineMerge, MergeLabels } from '../merge/merge-lines.ts';
import { type Outcome, resultOf } from './messages.ts';

/** Bytes of all contents. Comparing fewer takes a few milliseconds. */
const MAX_DIRECT_BYTES = 128 * 1024;

export type DiffJob =
  | { type: 'count'; old: Uint8Array; now: Uint8Array }
  | { type: 'patch'; old: Uint8Array; now: Uint8Array; labels: string }
  | { type: 'merge'; contents: ThreeContents; labels: MergeLabels };

/**
 * Compares large contents in a thread of its own, so that the thread that calls it can do other work. The thread starts
 * with the first large content and ends with `dispose`. Call the methods one after another.
 */
export class DiffThread implements ContentDiffer, AsyncDisposable {
  #worker: Worker | undefined;

  async count(old: Buffer, now: Buffer): Promise<LineCounts | undefined> {
    if (isSmall(old, now)) return directDiffer.count(old, now);
    return (await this.#run({ type: 'count', old, now })) as LineCounts | undefined;
  }

  async patch(old: Buffer, now: Buffer, labels: string): Promise<string[]> {
    if (isSmall(old, now)) return directDiffer.patch(old, now, labels);
    return (await this.#run({ type: 'patch', old, now, labels })) as string[];
  }

  async merge(contents: ThreeContents, labels: MergeLabels): Promise<LineMerge | undefined> {
    const { base = NOTHING, ours, theirs } = contents;
    if (isSmall(base, ours, theirs)) return directDiffer.merge(contents, labels);
    return (await this.#run({ type: 'merge', contents, labels })) as LineMerge | undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
  }

  async #run(job: DiffJob): Promise<unknown> {
    this.#worker ??= startWorker();
    this.#worker.postMessage(job);
    try {
      const [outcome] = (await once(this.#worker, 'message')) as [Outcome];
      return resultOf(outcome);
    } catch (error) {
      if (error instanceof LonghaulError) throw error;
      // A thread that failed has ended.
      this.#worker = undefined;
      const reason = error instanceof Error ? error.message : String(error);
      throw new LonghaulError('internal', `Comparing two files failed: ${reason}`, { cause: error });
    }
  }
}

const NOTHING = new Uint8Array();

function isSmall(...contents: Uint8Array[]): boolean {
  return contents.reduce((sum, { length }) => sum + length, 0) <= MAX_DIRECT_BYTES;
}

function startWorker(): Worker {
  // The worker's module is next to this file, as source or as a build. An empty environment: this process's contains
  // keys.
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './diff-worker.ts' : './diff-worker.js', import.meta.url);
  return new Worker(url, { env: {}, execArgv: isSource ? ['--conditions=longhaul-src'] : [] });
}
