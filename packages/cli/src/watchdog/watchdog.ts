import type { LonghaulEvent } from '@longhaul/protocol';

/** A short run does not need the thread, which takes 16 MB. */
const START_AFTER_MS = 3_000;
const BEAT_MS = 500;
const CHECK_MS = 1_000;
/** The signal is found at so many checks before the process is ended: about 5 seconds after the signal. */
const CHECKS = 5;

/**
 * Makes SIGTERM, SIGINT and SIGHUP end the process when the main thread is blocked, for example in an endless loop of a
 * strategy's module. Node.js handles signals on the main thread. So a thread of its own watches the main thread's
 * heartbeat; if that stops, it looks for a signal that nobody has taken, and after 5 seconds it ends the process with
 * SIGKILL. A blocked process without a signal is left alone.
 *
 * The thread starts with the first tool call, or when a run takes longer than 3 seconds. It works on Linux, whose /proc
 * shows the signals' pipe. Install the signal handlers before.
 */
export function watchMainThread(runtime: {
  subscribe(listener: (event: LonghaulEvent) => void): () => void;
}): Disposable {
  let timer: NodeJS.Timeout | undefined;
  let thread: Promise<Disposable> | undefined;
  const start = () => {
    unsubscribe();
    clearTimeout(timer);
    thread ??= startThread();
  };
  const unsubscribe = runtime.subscribe(({ type }) => {
    if (type === 'llm:tool-call') start();
    else if (type === 'run:started') timer ??= setTimeout(start, START_AFTER_MS).unref();
  });
  return {
    [Symbol.dispose]() {
      unsubscribe();
      clearTimeout(timer);
      void thread?.then((started) => started[Symbol.dispose]());
    },
  };
}

async function startThread(): Promise<Disposable> {
  const { startWatchdogThread } = await import('./watchdog-thread.ts');
  return startWatchdogThread({ beatMs: BEAT_MS, checkMs: CHECK_MS, checks: CHECKS });
}
