import type { Config } from '@longhaul/config';
import type { Hook } from '@longhaul/core';
import type { Session } from '@longhaul/protocol';
import type { Terminal } from '../terminal.ts';

/** Makes the configured hooks when a run starts. Nothing is loaded without any. */
export function sessionHooks(config: () => Config, { env }: Pick<Terminal, 'env'>) {
  return {
    async hooksFor(): Promise<readonly Hook[]> {
      const now = config();
      if (Object.keys(now.hooks).length === 0) return [];
      const { commandHooks } = await import('../hooks/command-hooks.ts');
      return commandHooks({
        hooks: now.hooks,
        async openHost(session: Session, signal: AbortSignal) {
          const { openSandbox } = await import('./open-sandbox.ts');
          return await openSandbox(onHost(now), { session, signal, env });
        },
      });
    },
  };
}

/** A command on the host has the user's environment, without keys of providers. */
function onHost(config: Config): Config {
  return { ...config, sandbox: { ...config.sandbox, driver: 'local', env: 'all', keepProcesses: false } };
}
