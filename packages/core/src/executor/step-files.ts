import { type Message, toLonghaulError } from '@longhaul/protocol';
import type { FileRecorder, RecordedChange } from '../ports/file-trees.ts';
import { appendPatch } from '../session/files/append-patch.ts';
import type { FilesState } from '../session/files/files-state.ts';
import { draftSyntheticMessage } from '../session/messages/user-message.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import { unnotedChanges } from './unnoted-changes.ts';

/** What a run needs to record the files of its session. */
export interface FileRecording {
  /** What earlier runs have recorded. Undefined: nothing. */
  state: FilesState | undefined;
  /** Opens a recorder that continues from a tree. */
  open(tree: string | undefined): Promise<FileRecorder>;
  save(state: FilesState): Promise<void>;
}

export interface StepFilesOptions {
  writer: SessionWriter;
  /** Undefined: files are not recorded. */
  recording: FileRecording | undefined;
  /** For the model, at the first call of `appendNoteIfDue`: the files are those of another machine. */
  arrivalNote?: string | undefined;
  /** Returns whether calls of the tool can change files. */
  mayWrite: (toolName: string) => boolean;
  /** Returns whether a child in the background has worked since the last call. Default: there is none. */
  childrenHaveWorked?: (() => boolean) | undefined;
}

/**
 * Whose changes a record contains: those of the tools of a step, or what happened between steps. A step is open if its
 * process was killed and its calls are repeated.
 */
type Between = 'step' | 'open-step' | 'steps';

/** Changed files that a note for the model names. */
const MAX_NAMED = 10;

/**
 * Records how the files of the workspace change during a run, as parts of the messages: what the tools of a step
 * change, and what others have changed before its tools start.
 *
 * The record after the tools is made while the model works on its next answer. If recording fails, the run continues
 * without it, with one warning.
 */
export class StepFiles implements AsyncDisposable {
  readonly #options: StepFilesOptions;
  #state: FilesState | undefined;
  #recorder: Promise<FileRecorder> | undefined;
  #pending: Promise<void> = Promise.resolve();
  #hasBegun = false;
  #hasFailed = false;
  /** Whether tools have run whose messages the stored state does not include yet. */
  #isUnsaved = false;
  /** Paths that others have changed and that the model does not know yet. */
  readonly #news = new Set<string>();
  /** Paths that a note has named and that no call has mentioned since. */
  readonly #told = new Set<string>();

  constructor(options: StepFilesOptions) {
    this.#options = options;
    this.#state = options.recording?.state;
  }

  /**
   * Tells the model which files others have changed since its last step. Call it before each request. The first call of
   * a run looks for changes since the last run.
   */
  async appendNoteIfDue(): Promise<void> {
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      const { messages } = this.#options.writer.log;
      for (const path of unnotedChanges(messages)) this.#news.add(path);
      const last = messages.at(-1);
      if (this.#state !== undefined && last !== undefined && !this.#options.writer.unloaded.has(last.id))
        await this.#recordSinceLastRun(last, this.#state);
      if (this.#options.arrivalNote !== undefined) await this.#append(this.#options.arrivalNote);
    }
    const names = [...this.#news].filter((path) => !this.#told.has(path));
    this.#news.clear();
    if (names.length === 0) return;
    for (const path of names) this.#told.add(path);
    await this.#append(describeNews(names));
  }

  /** Call it before the tools of a step. Resolves when everything before them is recorded. */
  async beforeTools(message: Message): Promise<void> {
    await this.settle();
    this.#forgetMentioned(message);
    if (this.#canChange(message))
      return this.#record(message, this.#wasKilledIn(message) ? 'open-step' : 'steps');
    // The first record takes longest, and calls that only read need not wait for it.
    if (this.#state === undefined) this.#begin(message, 'steps');
  }

  /** Call it after the tools of a step. Does not wait for the record. */
  afterTools(message: Message): void {
    if (!this.#canChange(message)) return;
    this.#isUnsaved = true;
    this.#begin(message, 'step');
  }

  /**
   * Waits for the record that is being made.
   *
   * @throws {LonghaulError} Errors of the store.
   */
  settle(): Promise<void> {
    return this.#pending;
  }

  /**
   * Waits for the record that is being made, and stores how far the files are recorded. Call it at the end of a run.
   *
   * @throws {LonghaulError} Errors of the store.
   */
  async finish(): Promise<void> {
    await this.settle();
    if (!this.#isUnsaved || this.#hasFailed || this.#state === undefined) return;
    await this.#options.recording?.save(this.#state);
    this.#isUnsaved = false;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    // A recorder that could not be opened has been reported.
    const recorder = await this.#recorder?.catch(() => undefined);
    await recorder?.[Symbol.asyncDispose]();
  }

  async #append(note: string): Promise<void> {
    await this.#options.writer.appendMessage(draftSyntheticMessage(note, 'files-changed'));
  }

  #begin(message: Message, made: Between): void {
    this.#pending = this.#record(message, made);
    // `settle` throws it.
    this.#pending.catch(() => {});
  }

  /** Changes since a step that was not recorded are the agent's, because nothing says whose they are. */
  #recordSinceLastRun(last: Message, { through }: FilesState): Promise<void> {
    const { messages } = this.#options.writer.log;
    const step = messages.findLast((message) => message.sequence > through && this.#canChange(message));
    return step === undefined ? this.#record(last, 'steps') : this.#record(step, 'step');
  }

  async #record(message: Message, made: Between): Promise<void> {
    const { recording } = this.#options;
    if (recording === undefined || this.#hasFailed) return;
    let change: RecordedChange | undefined;
    try {
      this.#recorder ??= recording.open(this.#state?.tree);
      change = await (await this.#recorder).record();
    } catch (thrown) {
      return this.#giveUp(toLonghaulError(thrown).message);
    }
    const through = made === 'step' ? message.sequence : (this.#state?.through ?? message.sequence - 1);
    // A child in the background works for this session.
    const byAgent = this.#options.childrenHaveWorked?.() === true || made !== 'steps';
    if (change === undefined) {
      if (this.#state !== undefined) this.#state = { ...this.#state, through };
      return;
    }
    this.#state = { tree: change.after, through };
    // Both are made in one tick, so that the store commits them together.
    await Promise.all([
      appendPatch(this.#options.writer, message, { ...change, byAgent }),
      recording.save(this.#state),
    ]);
    this.#isUnsaved = false;
    if (!byAgent) for (const { path } of change.files) this.#news.add(path);
  }

  async #giveUp(reason: string): Promise<void> {
    this.#hasFailed = true;
    await this.#options.writer.announce({
      type: 'context:warning',
      message: `Changes of files are not recorded in the rest of this run, so they cannot be shown or reverted: ${reason}`,
    });
  }

  /** Whether calls of the step had begun when a process was killed, for example calls that wait for children. */
  #wasKilledIn({ sequence, parts }: Message): boolean {
    if (this.#state === undefined || sequence <= this.#state.through) return false;
    return parts.some((part) => part.type === 'tool' && part.startedAt !== undefined);
  }

  #canChange({ parts }: Message): boolean {
    return parts.some((part) => part.type === 'tool' && this.#options.mayWrite(part.name));
  }

  /** A path that a call has mentioned may be told again. */
  #forgetMentioned({ parts }: Message): void {
    if (this.#told.size === 0) return;
    const inputs = JSON.stringify(parts.map((part) => (part.type === 'tool' ? part.input : null)));
    for (const path of this.#told) if (inputs.includes(path)) this.#told.delete(path);
  }
}

function describeNews(paths: readonly string[]): string {
  const named = paths.slice(0, MAX_NAMED);
  const others = paths.length - named.length;
  const list = named.map((path) => `- ${path}`).join('\n');
  const rest = others === 0 ? '' : `\n- and ${others} more`;
  return `These files were changed outside this session since your last step:\n${list}${rest}\nRead a file again before you rely on what you saw of it.`;
}
