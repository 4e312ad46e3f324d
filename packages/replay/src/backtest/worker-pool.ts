import { Worker } from 'node:worker_threads';
import type { Summarise } from '@longhaul/context/engine';
import { LonghaulError } from '@longhaul/protocol';
import type { JobQueue } from './job-queue.ts';
import type { Job, JobOutcome } from './job-runner.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker-messages.ts';

export interface PoolOptions {
  workers: number;
  queue: JobQueue;
  /** Called in the main thread for all workers. */
  summarise?: Summarise;
  onOutcome: (job: Job, outcome: JobOutcome) => void;
  signal?: AbortSignal;
}

/**
 * Runs all jobs of the queue. Each worker runs one job at a time. If a worker dies, usually because a file is too
 * large, that file is reported as unreadable and the worker is replaced.
 *
 * @throws {LonghaulError} `internal` if a replay fails for another reason than its file, `cancelled` after an abort.
 */
export async function runPool(options: PoolOptions): Promise<void> {
  const lanes = Array.from({ length: options.workers }, () => runLane(options));
  const results = await Promise.allSettled(lanes);
  const failed = results.find((result) => result.status === 'rejected');
  if (failed !== undefined) throw failed.reason;
}

async function runLane(options: PoolOptions): Promise<void> {
  let lastPath: string | undefined;
  let worker: Worker | undefined;
  try {
    for (;;) {
      if (options.signal?.aborted === true) throw new LonghaulError('cancelled', 'The replay was cancelled.');
      const job = options.queue.next(lastPath);
      if (job === undefined) return;
      worker ??= startWorker(options);
      const outcome = await doJob(worker, job, options);
      lastPath = job.path;
      if (outcome.status === 'died') {
        worker = undefined;
        options.onOutcome(job, { status: 'unreadable', message: outcome.message, notes: [] });
      } else options.onOutcome(job, outcome);
    }
  } finally {
    await worker?.terminate();
  }
}

type LaneOutcome = JobOutcome | { status: 'died'; message: string };

function doJob(worker: Worker, job: Job, { summarise, signal }: PoolOptions): Promise<LaneOutcome> {
  const { promise, resolve, reject } = Promise.withResolvers<LaneOutcome>();
  const onMessage = (message: FromWorker) => {
    if (message.type === 'outcome') resolve(message.outcome);
    else if (message.type === 'failed') reject(replayFailed(job, message.message));
    else void answer(worker, message, summarise).catch(reject);
  };
  const onError = (error: unknown) => resolve({ status: 'died', message: causeOfDeath(error) });
  const onAbort = () => reject(new LonghaulError('cancelled', 'The replay was cancelled.'));
  worker.on('message', onMessage).once('error', onError);
  signal?.addEventListener('abort', onAbort, { once: true });
  worker.postMessage({ type: 'job', job } satisfies ToWorker);
  return promise.finally(() => {
    worker.off('message', onMessage).off('error', onError);
    signal?.removeEventListener('abort', onAbort);
  });
}

async function answer(
  worker: Worker,
  { id, request }: Extract<FromWorker, { type: 'summarise' }>,
  summarise: Summarise | undefined,
): Promise<void> {
  const reply = await (summarise?.(request) ?? { status: 'failed' as const, reason: 'no summariser' });
  worker.postMessage({ type: 'summary', id, reply } satisfies ToWorker);
}

/** The worker's file is next to this one, both in the source and in the build. */
function startWorker({ summarise }: PoolOptions): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './worker.ts' : './worker.js', import.meta.url);
  const workerData: WorkerData = { hasSummariser: summarise !== undefined };
  return new Worker(url, { workerData, execArgv: isSource ? ['--conditions=longhaul-src'] : undefined });
}

function replayFailed(job: Job, message: string): LonghaulError {
  return new LonghaulError('internal', `Replaying ${job.path} with ${job.method} failed: ${message}`);
}

function causeOfDeath(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'needs more memory than is available for one session';
  return `could not be replayed (${error instanceof Error ? error.message : String(error)})`;
}
