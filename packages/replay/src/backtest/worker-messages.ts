import type { SummaryReply, SummaryRequest } from '@longhaul/context/engine';
import type { Job, JobOutcome } from './job-runner.ts';

/** The data that a worker starts with. */
export interface WorkerData {
  /** Whether narratives are written. The worker requests each one with a `summarise` message. */
  readonly hasSummariser: boolean;
}

export type ToWorker = { type: 'job'; job: Job } | { type: 'summary'; id: number; reply: SummaryReply };

export type FromWorker =
  | { type: 'outcome'; outcome: JobOutcome }
  /** The job or this program has a defect. The whole backtest ends. */
  | { type: 'failed'; message: string }
  | { type: 'summarise'; id: number; request: SummaryRequest };
