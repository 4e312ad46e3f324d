import { setImmediate as settled } from 'node:timers/promises';
import { LonghaulError, toLonghaulError } from '@longhaul/protocol';
import type {
  BackgroundCommand,
  BackgroundEnd,
  BackgroundWatcher,
  NewOutput,
} from '../../ports/background.ts';
import type {
  KeptCommands,
  ProcessOptions,
  ProcessPlace,
  Sandbox,
  SandboxProcess,
} from '../../ports/sandbox.ts';
import { createStreamSanitizer } from '../../tool-output/output-sanitizer.ts';
import { UnreadOutput } from './unread-output.ts';

export interface StartCommandOptions {
  command: string;
  handle: string;
  cwd: string | undefined;
  sandbox: Pick<Sandbox, 'start' | 'kind' | 'kept'>;
  /** The command outlives the run. */
  keep?: boolean | undefined;
}

/** A background command. Its output never blocks it, except for a watcher that takes its time. */
export class RunningCommand implements BackgroundCommand {
  readonly handle: string;
  readonly command: string;
  readonly #output = new UnreadOutput();
  readonly #watchers = new Set<BackgroundWatcher>();
  readonly #sanitizers = { stdout: createStreamSanitizer(), stderr: createStreamSanitizer() };
  #process: SandboxProcess | undefined;
  #end: BackgroundEnd | undefined;
  #ended: Promise<void> = Promise.resolve();
  #isReported = false;
  #keptMark: string | undefined;

  private constructor({ command, handle }: Pick<StartCommandOptions, 'command' | 'handle'>) {
    this.command = command;
    this.handle = handle;
  }

  /** @throws {LonghaulError} Errors of `Sandbox.start`. */
  static async start(options: StartCommandOptions): Promise<RunningCommand> {
    const { command, handle, cwd, sandbox, keep = false } = options;
    if (keep) return startKept(options);
    const running = new RunningCommand({ command, handle });
    running.#follow(await sandbox.start(command, { cwd, onOutput: running.#onOutput }));
    return running;
  }

  /**
   * Follows a command that outlives its run. One that ended before has its `end` when this resolves. Returns undefined if
   * nothing is left of it.
   */
  static async follow(
    { command, handle }: Pick<StartCommandOptions, 'command' | 'handle'>,
    place: ProcessPlace,
    kept: KeptCommands,
  ): Promise<RunningCommand | undefined> {
    const running = new RunningCommand({ command, handle });
    const process = await kept.follow(place, { onOutput: running.#onOutput });
    if (process === undefined) return undefined;
    running.#keptMark = place.mark;
    running.#follow(process);
    await settled();
    return running;
  }

  /** Of a command that outlives the run: the mark of its stored process. */
  get keptMark(): string | undefined {
    return this.#keptMark;
  }

  get end(): BackgroundEnd | undefined {
    return this.#end;
  }

  /** Whether the command has ended and the model does not know it yet. */
  get hasNews(): boolean {
    return this.#end !== undefined && !this.#isReported;
  }

  get lastLines(): readonly string[] {
    return this.#output.lastLines;
  }

  takeOutput(): NewOutput {
    return this.#output.take();
  }

  unreadOutput(): NewOutput {
    return this.#output.peek();
  }

  write(text: string): void {
    this.#process?.write(text);
  }

  closeInput(): void {
    this.#process?.closeInput();
  }

  async stop(): Promise<void> {
    // How it ended is in `end`.
    await this.#process?.stop().catch(() => undefined);
    await this.#ended;
  }

  endReported(): void {
    this.#isReported = this.#end !== undefined;
  }

  watch(watcher: BackgroundWatcher): () => void {
    this.#watchers.add(watcher);
    if (this.#end !== undefined) watcher.onEnd();
    return () => {
      this.#watchers.delete(watcher);
    };
  }

  #onOutput: ProcessOptions['onOutput'] = (chunk, stream) => this.#take(this.#sanitizers[stream].push(chunk));

  #follow(process: SandboxProcess): void {
    this.#process = process;
    this.#ended = this.#followEnd(process);
  }

  async #take(text: string): Promise<void> {
    if (text === '') return;
    this.#output.push(text);
    await Promise.all([...this.#watchers].map((watcher) => watcher.onOutput(text)));
  }

  /** Does not reject. */
  async #followEnd(process: SandboxProcess): Promise<void> {
    const end = await process.ended.catch((error: unknown): BackgroundEnd => {
      return { ended: 'failed', reason: toLonghaulError(error).message };
    });
    await this.#take(this.#sanitizers.stdout.end());
    await this.#take(this.#sanitizers.stderr.end());
    this.#end = end;
    for (const watcher of this.#watchers) watcher.onEnd();
  }
}

async function startKept(options: StartCommandOptions): Promise<RunningCommand> {
  const { command, cwd, sandbox } = options;
  const { kept, kind } = sandbox;
  if (kept === undefined) {
    throw new LonghaulError(
      'invalid_request',
      `keep: with the ${kind} sandbox, every command ends with the run. Start it without keep, and again in the next run.`,
    );
  }
  const place = await kept.start(command, { cwd });
  const followed = await RunningCommand.follow(options, place, kept);
  if (followed === undefined) throw new LonghaulError('sandbox_failed', 'The command ended at once.');
  return followed;
}
