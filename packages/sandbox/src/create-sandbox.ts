import type { ExecOptions, ExecResult, Sandbox, SandboxKind, WorkspaceFiles } from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { type RunningCommand, superviseCommand } from './command/supervise-command.ts';

/** The parts of a sandbox that differ between drivers. */
export interface SandboxParts {
  kind: SandboxKind;
  workspacePath: string;
  description: string;
  files: WorkspaceFiles;
  /** Starts a command in `cwd`, which is relative to the workspace and already checked. */
  start(command: string, options: { cwd: string; stdin?: string }): Promise<RunningCommand>;
  /** Removes what the driver created outside the workspace. Called when no command runs any more. */
  cleanUp(): Promise<void>;
}

/** The longest argument that Linux accepts (MAX_ARG_STRLEN, less its closing NUL). */
const MAX_COMMAND_BYTES = 131_071;

/** Builds a sandbox from a driver's parts. Checks, supervision and disposal are the same for all drivers. */
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
    throw new LonghaulError('invalid_request', 'A command cannot contain a NUL character.');
  }
  const bytes = Buffer.byteLength(command);
  if (bytes > MAX_COMMAND_BYTES) {
    throw new LonghaulError(
      'invalid_request',
      `The command has ${bytes} bytes; the system accepts at most ${MAX_COMMAND_BYTES}. Write it to a file and run the file.`,
    );
  }
}

async function checkFolder(files: WorkspaceFiles, path: string): Promise<string> {
  const info = await files.stat(path);
  if (info === undefined) throw new LonghaulError('not_found', `The working folder ${path} does not exist.`);
  if (info.kind !== 'directory')
    throw new LonghaulError('invalid_request', `The working folder ${path} is not a folder.`);
  return files.resolve(path);
}
