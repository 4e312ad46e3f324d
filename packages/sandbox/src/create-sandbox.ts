import type { ExecOptions, ExecResult, Sandbox, SandboxKind, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { type RunningCommand, superviseCommand } from './command/supervise-command.ts';

/** What differs between drivers. */
export interface SandboxParts {
  kind: SandboxKind;
  workspacePath: string;
  description: string;
  files: WorkspaceFiles;
  /** Starts a command in `cwd`, relative to the workspace and checked. */
  start(command: string, options: { cwd: string; stdin?: string }): Promise<RunningCommand>;
  /** Removes what the driver made outside the workspace; no command runs any more. */
  cleanUp(): Promise<void>;
}

/** Linux takes no longer argument (MAX_ARG_STRLEN, with its closing NUL). */
const MAX_COMMAND_BYTES = 131_071;

/** A sandbox from a driver's parts: checks, supervision and disposal are the same for all. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const disposal = new AbortController();
  const running = new Set<Promise<ExecResult>>();
  let disposed: Promise<void> | undefined;

  const run = async (command: string, options: ExecOptions): Promise<ExecResult> => {
    checkCommand(command);
    const signal = AbortSignal.any([disposal.signal, ...(options.signal ? [options.signal] : [])]);
    const cwd = await checkFolder(parts.files, options.cwd ?? '');
    if (signal.aborted) return { ended: 'aborted', durationMs: 0 };
    const started = await parts.start(command, {
      cwd,
      stdin: options.stdin,
    });
    return superviseCommand(started, { ...options, signal });
  };

  const dispose = async () => {
    disposal.abort();
    await Promise.allSettled(running);
    await parts.cleanUp();
  };

  return {
    kind: parts.kind,
    workspacePath: parts.workspacePath,
    description: parts.description,
    files: parts.files,
    async exec(command, options) {
      if (disposal.signal.aborted) throw new LonghaulError('sandbox_failed', 'The sandbox is closed.');
      const result = run(command, options);
      running.add(result);
      try {
        return await result;
      } finally {
        running.delete(result);
      }
    },
    [Symbol.asyncDispose]() {
      disposed ??= dispose();
      return disposed;
    },
  };
}

function checkCommand(command: string): void {
  if (command.includes('\0')) {
    throw new LonghaulError('invalid_request', 'A command cannot hold a NUL character.');
  }
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES) {
    throw new LonghaulError(
      'invalid_request',
      `The command has ${bytes} bytes; the system takes at most ${MAX_COMMAND_BYTES}. Write it to a file and run that.`,
    );
  }
}

async function checkFolder(files: WorkspaceFiles, path: string): Promise<string> {
  const info = await files.stat(path);
  if (info === undefined)
    throw new LonghaulError('not_found', `The folder to run in, ${path}, is not there.`);
  if (info.kind !== 'directory')
    throw new LonghaulError('invalid_request', `${path} is not a folder to run in.`);
  return files.resolve(path);
}
