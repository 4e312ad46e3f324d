import type { Terminal } from './terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupt extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
}

/** The first Ctrl-C (or SIGTERM, SIGHUP) asks the run to end; the second ends the process at once. */
export function watchInterrupts(terminal: Terminal, onFirst: () => void): Interrupt {
  const controller = new AbortController();
  const onSignal = () => {
    if (controller.signal.aborted) process.exit(130);
    onFirst();
    controller.abort();
  };
  const onGone = (error: NodeJS.ErrnoException) => {
    // Whoever read the output has left; there is nobody to work for.
    if (error.code === 'EPIPE') controller.abort();
  };
  for (const name of SIGNALS) process.on(name, onSignal);
  terminal.out.on('error', onGone);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of SIGNALS) process.off(name, onSignal);
      terminal.out.off('error', onGone);
    },
  };
}
