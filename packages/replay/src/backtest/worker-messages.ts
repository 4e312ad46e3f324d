import type { SummaryReply, SummaryRequest } from '@longhaul/context';
import type { Job, JobOutcome } from './job-runner.ts';

/** What a worker is started with. */
export interface WorkerData {
  /** Whether narratives are written: the worker asks for each. */
  readonly hasSummariser: boolean;
}

export type ToWorker = { type: 'job'; job: Job } | { type: 'summary'; id: number; reply: SummaryReply };

export type FromWorker =
  | { type: 'outcome'; outcome: JobOutcome }
  /** The job itself is at fault, or this program: the whole backtest ends. */
  | { type: 'failed'; message: string }
  | { type: 'summarise'; id: number; request: SummaryRequest };
