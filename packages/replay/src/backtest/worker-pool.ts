import { Worker } from 'node:worker_threads';
import type { Summarise } from '@longhaul/context';
import { LonghaulError } from '@longhaul/protocol';
import type { JobQueue } from './job-queue.ts';
import type { Job, JobOutcome } from './job-runner.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker-messages.ts';

export interface PoolOptions {
  workers: number;
  queue: JobQueue;
  /** Asked here, for every worker. */
  summarise?: Summarise;
  onOutcome: (job: Job, outcome: JobOutcome) => void;
  signal?: AbortSignal;
}

/**
 * Does all jobs of the queue, each worker one at a time. A worker that dies of a file (of its size, mostly) takes that file with it and is
 * replaced.
 *
 * @throws {LonghaulError} `internal` when a replay fails for another reason than its file; `cancelled`.
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

/** The worker's file stands beside this one, as source or as built. */
function startWorker({ summarise }: PoolOptions): Worker {
  const isSource = import.meta.url.endsWith('.ts');
  const url = new URL(isSource ? './worker.ts' : './worker.js', import.meta.url);
  const workerData: WorkerData = { hasSummariser: summarise !== undefined };
  return new Worker(url, { workerData, ...(isSource ? { execArgv: ['--conditions=longhaul-src'] } : {}) });
}

function replayFailed(job: Job, message: string): LonghaulError {
  return new LonghaulError('internal', `Replaying ${job.path} with ${job.method} failed: ${message}`);
}

function causeOfDeath(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ERR_WORKER_OUT_OF_MEMORY') return 'needs more memory than there is for one session';
  return `could not be replayed (${error instanceof Error ? error.message : String(error)})`;
}
