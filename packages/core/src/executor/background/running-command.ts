import { toLonghaulError } from '@longhaul/protocol';
import type {
  BackgroundCommand,
  BackgroundEnd,
  BackgroundWatcher,
  NewOutput,
} from '../../ports/background.ts';
import type { Sandbox, SandboxProcess } from '../../ports/sandbox.ts';
import { createStreamSanitizer } from '../../tool-output/output-sanitizer.ts';
import { UnreadOutput } from './unread-output.ts';

export interface StartCommandOptions {
  command: string;
  handle: string;
  cwd: string | undefined;
  sandbox: Pick<Sandbox, 'start'>;
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

  private constructor({ command, handle }: StartCommandOptions) {
    this.command = command;
    this.handle = handle;
  }

  /** @throws {LonghaulError} Errors of `Sandbox.start`. */
  static async start(options: StartCommandOptions): Promise<RunningCommand> {
    const running = new RunningCommand(options);
    const process = await options.sandbox.start(options.command, {
      cwd: options.cwd,
      onOutput: (chunk, stream) => running.#take(running.#sanitizers[stream].push(chunk)),
    });
    running.#process = process;
    running.#ended = running.#followEnd(process);
    return running;
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
