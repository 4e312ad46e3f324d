import type { ProcessPlace } from '../sandbox.ts';
import type { Lease } from './lease-store.ts';

/** A command of a run: what was started, by which run, and where its processes can be found. */
export interface NewProcess {
  id: string;
  /** The command's text; a long one is cut. */
  command: string;
  place: ProcessPlace;
}

/**
 * How a process ended. `ended`: reported by the run that started it. `killed`: by a later run. `gone`: a later run
 * found it dead. `assumed`: nobody could check, and a person said that it has ended.
 */
export type ProcessOutcome = 'ended' | 'killed' | 'gone' | 'assumed';

/** A stored command that runs beside others, or has run. */
export interface ProcessRecord extends NewProcess {
  sessionId: string;
  runId: string;
  startedAt: number;
  /** Absent while the process may run. */
  endedAt?: number;
  outcome?: ProcessOutcome;
}

/**
 * Stores which processes a session's runs have started. A record is stored before its process can have an effect, so a
 * run that replaces a dead or silent one knows everything that may still run.
 */
export interface ProcessStore {
  /** Stores a process of the run that holds the lease. */
  recordProcess(lease: Lease, process: NewProcess): Promise<void>;
  /**
   * Stores that a process has ended. Needs no lease: an end is a fact, whoever reports it. Only the first end is
   * stored. Does nothing for an unknown id.
   */
  endProcess(id: string, outcome: ProcessOutcome): Promise<void>;
  /** Lists the processes of a session in the order of their start. With `open`, only those without an end. */
  listProcesses(sessionId: string, options?: { open?: boolean }): Promise<ProcessRecord[]>;
}
