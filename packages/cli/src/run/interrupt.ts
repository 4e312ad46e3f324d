import type { Terminal } from '../terminal.ts';

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;

/** One Ctrl-C also arrives as a SIGTERM from the launcher, which may come first, within this time. */
const SAME_MS = 500;

export interface Interrupt extends Disposable {
  /** Aborts at the first signal. */
  readonly signal: AbortSignal;
}

/**
 * Watches for signals. The first Ctrl-C, SIGTERM or SIGHUP asks the run to end; a second Ctrl-C ends the process at
 * once. A second SIGTERM or SIGHUP does not: a closed terminal sends several, to the process group and through the
 * launcher, and the session would be left open.
 */
export function watchInterrupts(terminal: Terminal, onFirst: () => void): Interrupt {
  const controller = new AbortController();
  let first: { name: NodeJS.Signals; at: number } | undefined;
  const onSignal = (name: NodeJS.Signals) => {
    if (first === undefined && !controller.signal.aborted) {
      first = { name, at: performance.now() };
      onFirst();
      controller.abort();
      return;
    }
    const isSame = first?.name === 'SIGTERM' && performance.now() - first.at < SAME_MS;
    if (name === 'SIGINT' && !isSame) process.exit(130);
  };
  // The reader of the output has left, or the output cannot be stored: nobody needs the rest.
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
