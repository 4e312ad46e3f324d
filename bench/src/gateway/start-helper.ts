import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';

export interface Helper extends AsyncDisposable {
  url: string;
  /** Returns the processor time of the gateway or the proxy so far, in milliseconds. */
  workedMs(): Promise<number>;
}

/** Starts the gateway, a plain proxy or their upstream in a process of its own. */
export async function startHelper(
  name: 'upstream' | 'plain-proxy' | 'gateway',
  ...args: string[]
): Promise<Helper> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child: ChildProcess = fork(file, args, { execArgv: [...FROM_SOURCE] });
  const [url] = await once(child, 'message');
  return {
    url: String(url),
    async workedMs() {
      child.send('worked');
      const [ms] = await once(child, 'message');
      return Number(ms);
    },
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
