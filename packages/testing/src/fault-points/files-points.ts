import { syncBuiltinESMExports } from 'node:module';
import workers, { type WorkerOptions } from 'node:worker_threads';
import { type FaultPoints, FILES_FAULT_POINTS } from './fault-points.ts';

export type FilesPoint = (typeof FILES_FAULT_POINTS)[number];

/**
 * Makes a program that does not know the points pass them when it records or restores files: its recorder threads wait
 * at each step. Cannot be undone. Call it before the program's modules are loaded.
 */
export function passFilesPoints(faults: FaultPoints<FilesPoint>): void {
  const { Worker } = workers;
  class ReportingWorker extends Worker {
    constructor(url: string | URL, options: WorkerOptions = {}) {
      const { workerData } = options;
      if (!isRecorderData(workerData)) {
        super(url, options);
        return;
      }
      const steps = new Int32Array(new SharedArrayBuffer(4));
      super(url, { ...options, workerData: { ...workerData, steps: steps.buffer } });
      this.on('message', ({ type, step }: { type: string; step?: string }) => {
        if (type !== 'step') return;
        const point = FILES_FAULT_POINTS.find((known) => known === `files-${step}`);
        if (point !== undefined) faults.reach(point);
        Atomics.store(steps, 0, 1);
        Atomics.notify(steps, 0);
      });
    }
  }
  Reflect.set(workers, 'Worker', ReportingWorker);
  syncBuiltinESMExports();
}

/** Only recorder threads can wait at steps. */
function isRecorderData(data: unknown): data is { steps: unknown } {
  return typeof data === 'object' && data !== null && 'steps' in data;
}
