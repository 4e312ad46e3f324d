import type { ExecOptions, ExecResult, Sandbox, SandboxDriver } from '@longhaul/core';

/** Returns a driver whose sandboxes run each command with `start`, for tests that only know `exec`. */
export function runsInBackground(driver: SandboxDriver): SandboxDriver {
  return {
    kind: driver.kind,
    probe: (options) => driver.probe(options),
    end: (place) => driver.end(place),
    async open(options) {
      const sandbox = await driver.open(options);
      const exec = (command: string, execOptions: ExecOptions) => runIn(sandbox, command, execOptions);
      // Not a copy: a sandbox may hold its state.
      return new Proxy(sandbox, {
        get: (target, name) => (name === 'exec' ? exec : Reflect.get(target, name, target)),
      });
    },
  };
}

async function runIn(
  sandbox: Sandbox,
  command: string,
  { timeoutMs, stdin, ...options }: ExecOptions,
): Promise<ExecResult> {
  const process = await sandbox.start(command, options);
  if (stdin !== undefined) process.write(stdin);
  process.closeInput();
  const late = AbortSignal.timeout(timeoutMs);
  late.addEventListener('abort', () => void process.stop().catch(() => undefined), { once: true });
  const result = await process.ended;
  return late.aborted && result.ended === 'aborted' ? { ...result, ended: 'timeout' } : result;
}
