import type { Terminal } from '../terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

export interface Interrupt extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
}

/**
 * The first Ctrl-C (or SIGTERM, SIGHUP) asks the run to end; a second Ctrl-C ends the process at once. SIGTERM and SIGHUP never do: of one
 * closed terminal come several, to the process's group and through its launcher, and the session would be left open.
 */
export function watchInterrupts(terminal: Terminal, onFirst: () => void): Interrupt {
  const controller = new AbortController();
  const onSignal = (name: NodeJS.Signals) => {
    if (controller.signal.aborted) {
      if (name === 'SIGINT') process.exit(130);
      return;
    }
    onFirst();
    controller.abort();
  };
  // Whoever read the output has left, or what is said cannot be kept: there is nobody to work for.
  const onGone = () => controller.abort();
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
