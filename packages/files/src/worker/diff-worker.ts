import { parentPort } from 'node:worker_threads';
import { contentPatch, countChangedLines } from '../diff/content-diff.ts';
import { mergeContents } from '../merge/merge-contents.ts';
import type { DiffJob } from './diff-thread.ts';
import { outcomeOf } from './messages.ts';

/** The program of a worker thread that compares contents. */
parentPort?.on('message', async (job: DiffJob) => {
  parentPort?.postMessage(await outcomeOf(async () => answer(job)));
});

function answer(job: DiffJob): unknown {
  if (job.type === 'merge') return mergeContents(job.contents, job.labels);
  const [old, now] = [Buffer.from(job.old), Buffer.from(job.now)];
  return job.type === 'count' ? countChangedLines(old, now) : contentPatch(old, now, job.labels);
}
