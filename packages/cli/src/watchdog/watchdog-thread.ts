import { Worker } from 'node:worker_threads';
import { findSignalPipes } from './signal-pipes.ts';

export interface WatchdogOptions {
  beatMs: number;
  checkMs: number;
  /** At how many checks in a row the signal must be found. */
  checks: number;
}

/** Starts the thread of `bin/watchdog.js`, and the main thread's heartbeat. Does nothing without signal pipes. */
export function startWatchdogThread({ beatMs, checkMs, checks }: WatchdogOptions): Disposable {
  const pipes = findSignalPipes();
  if (pipes.length === 0) return { [Symbol.dispose]: () => undefined };
  const beats = new Int32Array(new SharedArrayBuffer(4));
  const heart = setInterval(() => Atomics.add(beats, 0, 1), beatMs).unref();
  const worker = new Worker(new URL('../../bin/watchdog.js', import.meta.url), {
    workerData: { beats, pipes, checkMs, checks },
    // This process's environment contains keys.
    env: {},
    execArgv: [],
    resourceLimits: { maxOldGenerationSizeMb: 16, maxYoungGenerationSizeMb: 1 },
  });
  worker.unref();
  return {
    [Symbol.dispose]() {
      clearInterval(heart);
      void worker.terminate();
    },
  };
}
