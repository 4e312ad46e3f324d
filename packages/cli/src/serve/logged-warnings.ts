import type { ServerOptions } from '@longhaul/server';

export type ServeLog = ServerOptions['log'];

/** Logs the warnings of Node.js and of libraries until it is disposed, so that the log has nothing but JSON. */
export function loggedWarnings(log: ServeLog): Disposable {
  const others = process.listeners('warning');
  const onWarning = ({ name, message }: Error) => log.warn({ warning: name }, message);
  process.removeAllListeners('warning');
  process.on('warning', onWarning);
  return {
    [Symbol.dispose]() {
      process.off('warning', onWarning);
      for (const other of others) process.on('warning', other);
    },
  };
}
