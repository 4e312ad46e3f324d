import { LonghaulError, type Session, type UserMessageContentPart } from '@longhaul/protocol';
import { withoutCompactionRequest } from './context/compaction-request.ts';
import type { ContextReport } from './context/context-report.ts';
import { idleSystemText } from './context/idle-system.ts';
import type {
  CompactSessionOptions,
  CompactSessionResult,
  MeasureSessionOptions,
  PinResult,
  UndoResult,
} from './context/results.ts';
import { SessionContext } from './context/session-context.ts';
import type { SessionLog } from './ports/index.ts';
import type { SessionAgent } from './prompt/agent-prompt.ts';
import { executeRun } from './runtime/execute-run.ts';
import type {
  ForkSessionOptions,
  NewSessionOptions,
  ResumeResult,
  RunOptions,
  RuntimeOptions,
  SendAndWaitOptions,
} from './runtime/runtime-options.ts';
import { ApprovalService } from './session/approvals/approval-service.ts';
import { draftSession } from './session/draft-session.ts';
import { EventFollower } from './session/events/event-follower.ts';
import { EventHub, type EventListener } from './session/events/event-hub.ts';
import { newId } from './session/ids.ts';
import { type EnqueueResult, MessageQueueService } from './session/messages/message-queue-service.ts';
import type { CancelResult } from './session/runs/cancel-session.ts';
import { closeOpenPart } from './session/runs/repair.ts';
import type { ExecutorResult } from './session/runs/run-result.ts';
import { type RunWork, SessionRuns, type StartOptions } from './session/runs/session-runs.ts';
import { isAnswered } from './session/runs/turn-state.ts';
import { WaitingCallers } from './session/runs/waiting-callers.ts';
import { busyAfterSend } from './session/session-errors.ts';

const DEFAULT_INSTRUCTION_FILES = ['AGENTS.md'];

/** Sessions and their runs, on the parts that were passed in. */
export class Runtime {
  readonly queue: MessageQueueService;
  readonly approvals: ApprovalService;
  readonly #options: RuntimeOptions;
  readonly #hub = new EventHub();
  readonly #follower: EventFollower;
  readonly #runs: SessionRuns;
  readonly #callers: WaitingCallers;
  readonly #context: SessionContext;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    const { store, blobs, driverFor } = options;
    const hub = this.#hub;
    this.queue = new MessageQueueService({ store, blobs, hub });
    this.approvals = new ApprovalService({ store, hub });
    const follower = new EventFollower({ store, hub });
    this.#follower = follower;
    this.#runs = new SessionRuns({
      store,
      hub,
      follower,
      driverFor,
      execute: (work) => this.#execute(work),
    });
    this.#callers = new WaitingCallers({ store, hub, follower, runs: this.#runs });
    this.#context = new SessionContext({
      ...options,
      hub,
      runs: this.#runs.registry,
      systemText: (session) => idleSystemText(session, this.#systemOf(session)),
      toolsFor: (session) => this.#agentOf(session).tools,
    });
  }

  /** Every event of every session of this runtime, in order. Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    return this.#hub.subscribe(listener);
  }

  createSession(options: NewSessionOptions): Promise<Session> {
    return this.#options.store.createSession(draftSession(options));
  }

  send(sessionId: string, content: readonly UserMessageContentPart[]): Promise<EnqueueResult> {
    return this.queue.enqueue(sessionId, content);
  }

  /** What fills the session's window: tokens by what they are, and what is hidden from the model. */
  contextOf(sessionId: string, options?: MeasureSessionOptions): Promise<ContextReport> {
    return this.#context.report(sessionId, options);
  }

  /**
   * Compacts the session now, or says what that would do. While a run drives it, the run compacts at its next step.
   *
   * @throws {LonghaulError} `session_not_found`, `window_unknown`, `context_exhausted`, `config_invalid`, `cancelled` (then the session
   * is as it was).
   */
  compact(sessionId: string, options?: CompactSessionOptions): Promise<CompactSessionResult> {
    return this.#context.compact(sessionId, options);
  }

  /**
   * Takes the newest compaction back: the model sees again what it hid, until the next one is needed.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`.
   */
  undoCompaction(sessionId: string): Promise<UndoResult> {
    return this.#context.undo(sessionId);
  }

  /**
   * Keeps a message in every view, whatever is compacted. `target` is a handle (`m12`, `m12.3`) or a message's id.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `not_found`.
   */
  pin(sessionId: string, target: string): Promise<PinResult> {
    return this.#context.pin(sessionId, target);
  }

  /** Lets compactions hide the message again. Throws as `pin` does. */
  unpin(sessionId: string, target: string): Promise<PinResult> {
    return this.#context.unpin(sessionId, target);
  }

  /**
   * Drives the session until it is idle. What goes wrong inside the run is its result; what prevents it from starting is thrown. Where another
   * process has taken `content` and answered it first, its answer is the result.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `invalid_request`, `interrupted` while the program stops, and what opening
   * driver or store throws.
   */
  async run(sessionId: string, { content, signal }: RunOptions = {}): Promise<ExecutorResult> {
    await this.#runs.existing(sessionId);
    if (content !== undefined) return this.#runWith(sessionId, content, signal);
    const result = await this.#runs.start(sessionId, { signal });
    if (result !== undefined) return result;
    throw new LonghaulError('internal', 'A run that was wanted was not started.');
  }

  /**
   * Goes on with a session: closes what a crash or a cancel left open, tells what that was (`run:repaired`), and drives it until it is idle.
   *
   * @returns `{status: 'nothing'}` when its last turn has its answer and no message waits: no model is called.
   * @throws {LonghaulError} as `run`.
   */
  async resume(sessionId: string, { signal }: { signal?: AbortSignal } = {}): Promise<ResumeResult> {
    return (
      (await this.#runs.start(sessionId, this.#ifUnfinished(sessionId, signal))) ?? { status: 'nothing' }
    );
  }

  /**
   * Sends a message and waits for the answer of the run that takes it. An idle session is driven; behind a run, in whichever process it is,
   * the message waits for its next step. Several callers get the answer of the run that took their messages.
   *
   * @param options.id A repeated id sends nothing again, and waits for the same answer.
   * @param options.signal Ends the waiting; the run goes on.
   * @throws {LonghaulError} `cancelled` when the run was; `queue_full`; as `run`.
   */
  async sendAndWait(
    sessionId: string,
    content: readonly UserMessageContentPart[],
    options: SendAndWaitOptions = {},
  ): Promise<ExecutorResult> {
    const { signal, ...message } = options;
    await this.#runs.existing(sessionId);
    const waitBeganAt = await this.#options.store.lastEventNumber(sessionId);
    const { id, eventNumber } = await this.queue.enqueue(sessionId, content, message);
    return this.#callers.answerTo(sessionId, { id, eventNumber, waitBeganAt }, signal);
  }

  /**
   * Ends whatever drives the session, in whichever process it is, and answers when nothing of it goes on any more. What was said so far stays;
   * messages that wait stay too, unless `clearQueue`. What a dead process left is closed.
   *
   * @throws {LonghaulError} `session_not_found`.
   */
  cancel(sessionId: string, { clearQueue = false }: { clearQueue?: boolean } = {}): Promise<CancelResult> {
    return this.#runs.cancel(sessionId, { clearQueue });
  }

  /**
   * A new session that begins as this one stood at message `at` (its sequence; default: now), to go another way. A message is taken whole or not
   * at all; what is open in it becomes interrupted.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found`.
   */
  async fork(sessionId: string, { at, title }: ForkSessionOptions = {}): Promise<Session> {
    const { updatedAt: _updatedAt, status: _status, ...found } = await this.#runs.existing(sessionId);
    const source = withoutCompactionRequest(found);
    const now = Date.now();
    const session = { ...source, id: newId(), createdAt: now, ...(title === undefined ? {} : { title }) };
    return this.#options.store.forkSession(sessionId, session, {
      at,
      newId,
      close: (part) => closeOpenPart(part, now),
    });
  }

  /**
   * Tells listeners of this runtime also what other processes store of the session: messages they queue, events of runs they drive. Chunks are
   * not stored and so not told. Each event is told once, in the order of their numbers.
   *
   * @throws {LonghaulError} `session_not_found`.
   */
  follow(sessionId: string): Promise<AsyncDisposable> {
    return this.#follower.follow(sessionId);
  }

  /**
   * For a program that ends: takes no new runs, lets running steps finish, and after `graceMs` ends the rest as `interrupted`, to be resumed.
   * Resolves when nothing runs.
   */
  stop({ graceMs = 10_000 }: { graceMs?: number } = {}): Promise<void> {
    return this.#runs.stop(graceMs);
  }

  async #runWith(
    sessionId: string,
    content: readonly UserMessageContentPart[],
    signal: AbortSignal | undefined,
  ): Promise<ExecutorResult> {
    const { id, eventNumber } = await this.send(sessionId, content);
    const result = await this.#runs
      .start(sessionId, this.#ifUnfinished(sessionId, signal))
      .catch((error: unknown) => {
        throw busyAfterSend(error);
      });
    const sent = { id, eventNumber, waitBeganAt: eventNumber };
    return result ?? (await this.#callers.answerTo(sessionId, sent, signal));
  }

  /** A start that does nothing where the last turn has its answer and no message waits. */
  #ifUnfinished(sessionId: string, signal: AbortSignal | undefined): StartOptions {
    const isWanted = async ({ messages }: SessionLog) =>
      !isAnswered(messages) || (await this.queue.hasPending(sessionId));
    return { signal, isWanted };
  }

  async #execute(work: RunWork): Promise<ExecutorResult> {
    const system = this.#systemOf(work.session);
    return executeRun(work, {
      ...system,
      options: this.#options,
      approvals: this.approvals,
      context: this.#context,
    });
  }

  /** What the system text of a session is made of. */
  #systemOf(session: Session): { agent: SessionAgent; instructionFiles: readonly string[] } {
    const { instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
    return { agent: this.#agentOf(session), instructionFiles };
  }

  #agentOf(session: Session): SessionAgent {
    const { agentFor, tools, prompt } = this.#options;
    return agentFor?.(session) ?? { tools, prompt };
  }
}
