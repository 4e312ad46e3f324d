import { parentPort, workerData } from 'node:worker_threads';
import type { Summarise, SummaryReply } from '@longhaul/context/engine';
import { type Job, JobRunner } from './job-runner.ts';
import type { FromWorker, ToWorker, WorkerData } from './worker-messages.ts';

/** The program of a worker thread. It runs one job at a time and posts the outcome of each. */
function serve(port: NonNullable<typeof parentPort>, { hasSummariser }: WorkerData): void {
  const send = (message: FromWorker) => port.postMessage(message);
  const waiting = new Map<number, (reply: SummaryReply) => void>();
  let asked = 0;
  const summarise: Summarise = (request) => {
    asked += 1;
    const id = asked;
    send({ type: 'summarise', id, request });
    return new Promise((resolve) => waiting.set(id, resolve));
  };
  const runner = new JobRunner(hasSummariser ? summarise : undefined);
  port.on('message', (message: ToWorker) => {
    if (message.type === 'job') void answer(runner, message.job).then(send);
    else {
      waiting.get(message.id)?.(message.reply);
      waiting.delete(message.id);
    }
  });
}

async function answer(runner: JobRunner, job: Job): Promise<FromWorker> {
  try {
    return { type: 'outcome', outcome: await runner.run(job) };
  } catch (error) {
    return {
      type: 'failed',
      message: error instanceof Error ? (error.stack ?? error.message) : String(error),
    };
  }
}

if (parentPort !== null) serve(parentPort, workerData);
