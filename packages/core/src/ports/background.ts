import type { ExecResult } from './sandbox.ts';

/** The commands of a run that run beside its other work. They end with the run, unless they are kept. */
export interface BackgroundCommands {
  /**
   * Starts a command.
   *
   * @throws {LonghaulError} `invalid_request` if too many run, or if the sandbox can keep none; errors of `Sandbox.start`.
   */
  start(command: string, options: StartBackground): Promise<BackgroundCommand>;
  /** The commands of this run and those kept by earlier ones, oldest first, also those that have ended. */
  list(): readonly BackgroundCommand[];
}

/** How a command in the background is started. */
export interface StartBackground {
  handle: string;
  cwd?: string | undefined;
  /** The command outlives the run. Default false. */
  keep?: boolean | undefined;
}

/** A command that runs in the background of a session, or has ended there. */
export interface BackgroundCommand {
  /** Names the command in the session: the handle of the call that started it. */
  readonly handle: string;
  readonly command: string;
  /** Absent while the command runs. */
  readonly end: BackgroundEnd | undefined;
  /** The last lines of output that are not empty, at most three. */
  readonly lastLines: readonly string[];
  /** Returns the output since the last call. Only the newest 1,000,000 characters are kept until then. */
  takeOutput(): NewOutput;
  /** Returns what `takeOutput` would, and leaves it there. */
  unreadOutput(): NewOutput;
  /** See `SandboxProcess`. */
  write(text: string): void;
  closeInput(): void;
  /** Ends the command. Settles when it has ended. */
  stop(): Promise<void>;
  /** The end was reported to the model, so no note does it again. */
  endReported(): void;
  /**
   * Calls `onOutput` with each new piece of output, and blocks the command while its promise is pending. Calls `onEnd`
   * once when the command ends. Returns a function that ends both.
   */
  watch(watcher: BackgroundWatcher): () => void;
}

/** Receives the output and the end of a command in the background. */
export interface BackgroundWatcher {
  /** Must not reject. */
  onOutput(text: string): Promise<void>;
  onEnd(): void;
}

/** Output of a command in the background that was not read before. */
export interface NewOutput {
  text: string;
  /** Characters before the text that nobody has read and that are not kept. */
  droppedChars: number;
}

/** `failed`: the sandbox died, for the reason. */
export type BackgroundEnd = ExecResult | { ended: 'failed'; reason: string };
