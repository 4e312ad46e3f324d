import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { FROM_SOURCE } from '@longhaul/testing/from-source';

interface Helper extends AsyncDisposable {
  url: string;
}

/** Starts the gateway or its upstream in a process of its own. */
export async function startHelper(name: 'upstream' | 'gateway', ...args: string[]): Promise<Helper> {
  const file = fileURLToPath(new URL(`./${name}.ts`, import.meta.url));
  const child: ChildProcess = fork(file, args, { execArgv: [...FROM_SOURCE] });
  const [url] = await once(child, 'message');
  return {
    url: String(url),
    async [Symbol.asyncDispose]() {
      child.disconnect();
      await once(child, 'exit');
    },
  };
}
