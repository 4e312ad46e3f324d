import type {
  ExecOptions,
  ExecResult,
  KeptCommands,
  ProcessOptions,
  ProcessPlace,
  RecordProcess,
  Sandbox,
  SandboxKind,
  SandboxProcess,
  SandboxRules,
  WorkspaceFiles,
} from '@longhaul/core';
import { LonghaulError } from '@longhaul/protocol';
import { LeftCommands } from './command/left-commands.ts';
import { type RunningCommand, superviseCommand } from './command/supervise-command.ts';
import { superviseProcess } from './command/supervise-process.ts';

export interface StartOptions {
  /** Relative to the workspace, or absolute outside it, and already checked. */
  cwd: string;
  stdin?: string;
  /** The running command has an `input`. Default false. */
  keepsInput?: boolean;
  /** Stores where the command can be found. Call it before the command can have an effect. */
  record: (place: ProcessPlace) => Promise<void>;
}

/** The parts of a sandbox that differ between drivers. */
export interface SandboxParts {
  kind: SandboxKind;
  workspacePath: string;
  description: string;
  /** See `Sandbox`. */
  platform: string;
  rules: SandboxRules;
  files: WorkspaceFiles;
  /** Default: `files`. */
  toolFiles?: WorkspaceFiles;
  /** Starts a command. If `record` rejects, so does this, and the command has not run. */
  start(command: string, options: StartOptions): Promise<RunningCommand>;
  recordProcess: RecordProcess | undefined;
  /** Commands that outlive the sandbox. `cwd` is already checked. Default: none can. */
  kept?: KeptParts;
  /** Whether processes that commands leave running may outlive the sandbox. Asked at its end. Default: no. */
  keepsProcesses?: () => boolean;
  /** Removes what the driver created outside the workspace. Called when no command is running. */
  cleanUp(): Promise<void>;
}

export interface KeptParts {
  start(command: string, options: Pick<StartOptions, 'cwd' | 'record'>): Promise<ProcessPlace>;
  follow(
    place: ProcessPlace,
    options: Pick<ProcessOptions, 'onOutput'> & { signal: AbortSignal },
  ): Promise<SandboxProcess | undefined>;
}

/** The rules of a sandbox that confines file tools to the workspace, and processes to their command. */
export const ENDS_WITH_COMMAND: SandboxRules = {
  files: 'file tools cannot leave it',
  processes: 'processes that a command leaves running are killed',
};

/** The longest argument that Linux accepts (MAX_ARG_STRLEN, less its closing NUL). */
const MAX_COMMAND_BYTES = 131_071;

type BeginOptions = Pick<StartOptions, 'stdin' | 'keepsInput'> & {
  cwd: string | undefined;
  signal: AbortSignal;
};

/** Builds a sandbox from a driver's parts. Checks, supervision and disposal are the same for all drivers. */
export function createSandbox(parts: SandboxParts): Sandbox {
  const { toolFiles = parts.files } = parts;
  const disposal = new AbortController();
  const running = new Set<Promise<unknown>>();
  const left = new LeftCommands();
  let disposed: Promise<void> | undefined;

  /** Returns undefined if it was aborted before the command has started. */
  const begin = async (command: string, { cwd, signal, ...input }: BeginOptions) => {
    checkCommand(command);
    const folder = await checkFolder(toolFiles, cwd ?? '');
    if (signal.aborted) return undefined;
    const recorded = createRecord(command, parts.recordProcess);
    const started = await parts.start(command, { cwd: folder, ...input, record: recorded.begin });
    return { started, recorded };
  };

  const run = async (command: string, options: ExecOptions): Promise<ExecResult> => {
    const signal = withDisposal(options.signal);
    const begun = await begin(command, { cwd: options.cwd, stdin: options.stdin, signal });
    if (begun === undefined) return { ended: 'aborted', durationMs: 0 };
    const { started, recorded } = begun;
    const result = await superviseCommand(started, { ...options, signal });
    // A run that keeps processes leaves them also to the run that resumes it.
    if (result.leftRunning === undefined || parts.keepsProcesses?.()) await recorded.end();
    if (result.leftRunning !== undefined) left.add(started, recorded.end);
    await left.forgetEnded();
    return result;
  };

  const startProcess = async (command: string, options: ProcessOptions): Promise<SandboxProcess> => {
    const signal = withDisposal(options.signal);
    const begun = await begin(command, { cwd: options.cwd, keepsInput: true, signal });
    if (begun === undefined)
      throw new LonghaulError('cancelled', 'The command was cancelled before it started.');
    const { started, recorded } = begun;
    const handle = superviseProcess(started, {
      signal,
      onOutput: options.onOutput,
      recordEnd: recorded.end,
    });
    // A failure of the command is the caller's. Disposal waits only until it is over.
    tracked(handle.ended).catch(() => undefined);
    return handle;
  };

  const keptCommands = ({ start, follow }: KeptParts): KeptCommands => ({
    async start(command, { cwd }) {
      requireOpen();
      checkCommand(command);
      const folder = await checkFolder(toolFiles, cwd ?? '');
      const { begin: record } = createRecord(command, parts.recordProcess);
      return await tracked(start(command, { cwd: folder, record }));
    },
    async follow(place, { onOutput }) {
      requireOpen();
      return await follow(place, { onOutput, signal: disposal.signal });
    },
  });

  const withDisposal = (signal: AbortSignal | undefined) =>
    AbortSignal.any([disposal.signal, ...(signal ? [signal] : [])]);

  const tracked = async <Result>(work: Promise<Result>): Promise<Result> => {
    running.add(work);
    try {
      return await work;
    } finally {
      running.delete(work);
    }
  };

  const requireOpen = () => {
    if (disposal.signal.aborted) throw new LonghaulError('sandbox_failed', 'The sandbox is closed.');
  };

  const dispose = async () => {
    disposal.abort();
    // A command that was starting becomes a running one.
    while (running.size > 0) await Promise.allSettled(running);
    await left.close({ keeps: parts.keepsProcesses?.() ?? false });
    await parts.cleanUp();
  };

  return {
    kind: parts.kind,
    workspacePath: parts.workspacePath,
    description: parts.description,
    platform: parts.platform,
    rules: parts.rules,
    kept: parts.kept && keptCommands(parts.kept),
    files: parts.files,
    toolFiles,
    async exec(command, options) {
      requireOpen();
      return tracked(run(command, options));
    },
    async start(command, options) {
      requireOpen();
      return tracked(startProcess(command, options));
    },
    [Symbol.asyncDispose]() {
      disposed ??= dispose();
      return disposed;
    },
  };
}

/**
 * Records a command that may be started more than once, as when a container has died. The end is recorded only if
 * nothing failed: otherwise a process may be left, and the next run looks for it.
 */
function createRecord(command: string, recordProcess: RecordProcess | undefined) {
  const ends: (() => Promise<void>)[] = [];
  return {
    async begin(place: ProcessPlace): Promise<void> {
      const end = await recordProcess?.(command, place);
      if (end !== undefined) ends.push(end);
    },
    async end(): Promise<void> {
      for (const end of ends.splice(0)) await end();
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
