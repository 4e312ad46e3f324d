import { relative } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ExecResult, Sandbox, SandboxProcess } from '@longhaul/core';
import { isInside } from '@longhaul/core/host-paths';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import { quoteWord } from '@longhaul/tools';
import type { ServerSettings } from '../server-settings.ts';
import {
  endingText,
  GRACE_MS,
  type ServerOutput,
  type ServerPlace,
  type ServerProcess,
} from './server-process.ts';

/**
 * Starts a server in a sandbox of its own, which is closed when the server ends. It sees the workspace, and only the
 * variables of its settings.
 *
 * @throws {LonghaulError} `mcp_unavailable` if there is no sandbox that isolates; `sandbox_unavailable`, `sandbox_failed`.
 */
export async function startSandboxedProcess(
  { command = '', args = [], env = {}, cwd }: ServerSettings,
  { openSandbox, graceMs = GRACE_MS }: Pick<ServerPlace, 'openSandbox' | 'graceMs'>,
  output: ServerOutput,
): Promise<ServerProcess> {
  if (openSandbox === undefined) throw unavailable('It has `sandbox: true`, but there is no sandbox here.');
  const sandbox = await openSandbox(env);
  const decoder = new TextDecoder();
  try {
    requireIsolation(sandbox);
    // The program replaces the shell.
    const line = `exec ${[command, ...args].map(quoteWord).join(' ')}`;
    const started = await sandbox.start(line, {
      ...(cwd !== undefined && { cwd: folderInside(cwd, sandbox.files.root) }),
      onOutput: (chunk, stream) => {
        if (stream === 'stdout') output.stdout(chunk);
        else output.stderr(decoder.decode(chunk, { stream: true }));
      },
    });
    return new SandboxedProcess(started, sandbox, { output, graceMs });
  } catch (error) {
    await sandbox[Symbol.asyncDispose]();
    throw error;
  }
}

function requireIsolation({ kind }: Sandbox): void {
  if (kind !== 'local') return;
  throw unavailable(
    'It has `sandbox: true`, but the sandbox `local` isolates nothing. Use docker or bubblewrap (`sandbox.driver`), or remove `sandbox` from the settings of the server.',
  );
}

/** Returns the folder relative to the workspace. */
function folderInside(folder: string, root: string): string {
  if (isInside(folder, root)) return relative(root, folder);
  throw unavailable(
    `Its \`cwd\` ${JSON.stringify(folder)} is outside of the workspace, and the sandbox shows only the workspace. Remove \`cwd\` or \`sandbox\`.`,
  );
}

class SandboxedProcess implements ServerProcess {
  readonly workspacePath: string;
  readonly #process: SandboxProcess;
  readonly #graceMs: number;
  /** Settles when the sandbox is closed. */
  readonly #closed: Promise<void>;
  #ending: string | undefined;

  constructor(
    process: SandboxProcess,
    sandbox: Sandbox,
    { output, graceMs }: { output: ServerOutput; graceMs: number },
  ) {
    this.workspacePath = sandbox.workspacePath;
    this.#process = process;
    this.#graceMs = graceMs;
    this.#closed = this.#follow(sandbox, output);
    // Whoever ends the server gets the error.
    this.#closed.catch(() => undefined);
  }

  get ending(): string | undefined {
    return this.#ending;
  }

  async write(text: string): Promise<void> {
    this.#process.write(text);
  }

  async end(): Promise<void> {
    this.#process.closeInput();
    const timer = new AbortController();
    const waited = sleep(this.#graceMs, undefined, { signal: timer.signal }).catch(() => undefined);
    await Promise.race([this.#closed, waited]);
    timer.abort();
    if (this.#ending === undefined) this.kill();
    await this.#closed;
  }

  kill(): void {
    // How it has ended is in `ended`.
    void this.#process.stop().catch(() => undefined);
  }

  async #follow(sandbox: Sandbox, output: ServerOutput): Promise<void> {
    this.#ending = await this.#process.ended.then(
      (result: ExecResult) => endingText(result),
      (error: unknown) => `has failed: ${toLonghaulError(error).message}`,
    );
    output.closed();
    await sandbox[Symbol.asyncDispose]();
  }
}

function unavailable(message: string): LonghaulError {
  return new LonghaulError('mcp_unavailable', message);
}
