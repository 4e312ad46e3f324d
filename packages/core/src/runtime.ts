import type { CompressionStrategy } from '@longhaul/context';
import {
  LonghaulError,
  type QueuedMessage,
  type Session,
  type TokenUsage,
  toLonghaulError,
  type UserMessageContentPart,
} from '@longhaul/protocol';
import { clientInstructions, type SessionAgent } from './agents/session-agent.ts';
import { ApprovalService } from './approvals/approval-service.ts';
import { ALLOW_BY_DEFAULT, type ApprovalSettings, SessionApprover } from './approvals/session-approver.ts';
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
import type { CompressionSettings } from './executor/context-window.ts';
import type { ExecutorResult } from './executor/executor-result.ts';
import { DEFAULT_RETRY, type RetryOptions } from './executor/retry.ts';
import { NO_LIMITS, type RunLimits } from './executor/run-limits.ts';
import { TurnExecutor } from './executor/turn-executor.ts';
import type { BlobStore, ModelDriver, Sandbox, SessionLog, Store } from './ports/index.ts';
import { maxInstructionChars, readInstructionFiles } from './prompt/instruction-files.ts';
import { buildSystemPrompt } from './prompt/system-prompt.ts';
import type { CancelResult } from './session/cancel-session.ts';
import { EventFollower } from './session/event-follower.ts';
import { EventHub, type EventListener } from './session/event-hub.ts';
import { newId } from './session/ids.ts';
import { type EnqueueResult, MessageQueueService } from './session/message-queue-service.ts';
import { closeOpenPart } from './session/repair.ts';
import { createSessionHistory } from './session/session-history.ts';
import { type RunWork, SessionRuns } from './session/session-runs.ts';
import type { SessionWriter } from './session/session-writer.ts';
import { isAnswered } from './session/turn-state.ts';
import { WaitingCallers } from './session/waiting-callers.ts';
import type { Tool } from './tools/tool.ts';

export interface RuntimeOptions {
  store: Store;
  blobs: BlobStore;
  tools: readonly Tool[];
  /** Opens the sandbox of a run. It is closed when the run ends. */
  openSandbox: (session: Session, signal: AbortSignal) => Promise<Sandbox>;
  /** The driver for a session's model (`provider/model`). */
  driverFor: (model: string) => Promise<ModelDriver>;
  /** The driver that writes narratives. Undefined result: none, the ledger stands alone. Default: the session's own model. */
  summariserFor?: (model: string) => Promise<ModelDriver | undefined>;
  compression: CompressionSettings;
  /** A strategy by its name, for a compaction that names another than the configured one. @throws {LonghaulError} `config_invalid` */
  strategyFor?: (name: string) => CompressionStrategy | Promise<CompressionStrategy>;
  costOf?: (usage: TokenUsage, driver: ModelDriver) => number | undefined;
  /** Which calls are made, asked for, or refused. Default: all are made. */
  approvals?: ApprovalSettings;
  /** Cap of the output of a tool without its own. */
  maxToolOutputChars?: number;
  limits?: RunLimits;
  retry?: RetryOptions;
  /** Files of standing instructions in the workspace. Default: `AGENTS.md`. */
  instructionFiles?: readonly string[];
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /** The agent of a session, where they differ. Default: `tools` and `prompt` for all. @throws {LonghaulError} `unknown_agent` */
  agentFor?: (session: Session) => SessionAgent;
}

export interface NewSessionOptions {
  /** Absolute path of an existing folder. */
  workspace: string;
  /** `provider/model`. */
  model: string;
  task: string;
  title?: string;
  metadata?: Session['metadata'];
}

export interface RunOptions {
  /** Sent before the run starts. Absent: goes on with what waits in the queue. */
  content?: readonly UserMessageContentPart[];
  signal?: AbortSignal;
}

export interface SendAndWaitOptions {
  id?: string;
  metadata?: QueuedMessage['metadata'];
  signal?: AbortSignal;
}

export interface ForkSessionOptions {
  at?: number;
  title?: string;
}

export type ResumeResult = ExecutorResult | { status: 'nothing' };

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
    this.queue = new MessageQueueService({ store: options.store, blobs: options.blobs, hub: this.#hub });
    this.approvals = new ApprovalService({ store: options.store, hub: this.#hub });
    const { store, driverFor } = options;
    const hub = this.#hub;
    this.#follower = new EventFollower({ store, hub });
    const follower = this.#follower;
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
      systemText: (session) => this.#idleSystem(session),
      toolsFor: (session) => this.#agentOf(session).tools,
    });
  }

  /** Every event of every session of this runtime, in order. Returns the function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    return this.#hub.subscribe(listener);
  }

  createSession(options: NewSessionOptions): Promise<Session> {
    const task = options.task.slice(0, 2_000);
    return this.#options.store.createSession({
      id: newId(),
      createdAt: Date.now(),
      task,
      title: options.title ?? titleOf(task),
      model: options.model,
      workspace: options.workspace,
      ...(options.metadata === undefined ? {} : { metadata: options.metadata }),
    });
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
   * Drives the session until it is idle. What goes wrong inside the run is its result; what prevents it from starting is thrown.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `invalid_request`, `interrupted` while the program stops, and what opening
   * driver or store throws.
   */
  async run(sessionId: string, { content, signal }: RunOptions = {}): Promise<ExecutorResult> {
    await this.#runs.existing(sessionId);
    if (content !== undefined) await this.send(sessionId, content);
    try {
      const result = await this.#runs.start(sessionId, { signal });
      if (result !== undefined) return result;
    } catch (error) {
      throw content === undefined ? error : queuedAtBusy(error);
    }
    throw new LonghaulError('internal', 'A run that was wanted was not started.');
  }

  /**
   * Goes on with a session: closes what a crash or a cancel left open, tells what that was (`run:repaired`), and drives it until it is idle.
   *
   * @returns `{status: 'nothing'}` when its last turn has its answer and no message waits: no model is called.
   * @throws {LonghaulError} as `run`.
   */
  async resume(sessionId: string, { signal }: { signal?: AbortSignal } = {}): Promise<ResumeResult> {
    const isWanted = async ({ messages }: SessionLog) =>
      !isAnswered(messages) || (await this.queue.hasPending(sessionId));
    return (await this.#runs.start(sessionId, { signal, isWanted })) ?? { status: 'nothing' };
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
    const callerCameAt = await this.#options.store.lastEventNumber(sessionId);
    const { id, eventNumber } = await this.queue.enqueue(sessionId, content, message);
    return this.#callers.answerTo(sessionId, { id, eventNumber, callerCameAt }, signal);
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
    const { updatedAt: _updatedAt, status: _status, ...source } = await this.#runs.existing(sessionId);
    const now = Date.now();
    const session = { ...source, id: newId(), createdAt: now, ...(title === undefined ? {} : { title }) };
    return this.#options.store.forkSession(sessionId, session, {
      ...(at === undefined ? {} : { at }),
      newId,
      close: (part) => closeOpenPart(part, now),
    });
  }

  /**
   * Tells listeners of this runtime also what other processes store of the session: messages they queue, events of runs they drive. Chunks are
   * not stored and so not told. Each event is told once.
   *
   * @throws {LonghaulError} `session_not_found`.
   */
  follow(sessionId: string): Promise<Disposable> {
    return this.#follower.follow(sessionId);
  }

  /**
   * For a program that ends: takes no new runs, lets running steps finish, and after `graceMs` ends the rest as `interrupted`, to be resumed.
   * Resolves when nothing runs.
   */
  stop({ graceMs = 10_000 }: { graceMs?: number } = {}): Promise<void> {
    return this.#runs.stop(graceMs);
  }

  async #execute({ session, driver, writer, signal, drain }: RunWork): Promise<ExecutorResult> {
    let result: ExecutorResult | undefined;
    try {
      await using sandbox = await this.#options.openSandbox(session, signal);
      const executor = await this.#createExecutor({ session, driver, writer, signal, drain, sandbox });
      result = await executor.run();
    } catch (error) {
      if (result === undefined) throw error;
      // The run has ended and been told; only its sandbox could not be closed.
      process.emitWarning(`The sandbox of a run could not be closed: ${toLonghaulError(error).message}`);
    }
    return result;
  }

  async #createExecutor(run: RunWork & { sandbox: Sandbox }): Promise<TurnExecutor> {
    const {
      store,
      blobs,
      compression,
      costOf,
      approvals = ALLOW_BY_DEFAULT,
      limits,
      retry,
      summariserFor,
      maxToolOutputChars,
    } = this.#options;
    const { session, driver, signal, drain, writer, sandbox } = run;
    const summariser = summariserFor === undefined ? driver : await summariserFor(session.model);
    return new TurnExecutor({
      writer,
      driver,
      sandbox,
      blobs,
      tools: this.#agentOf(session).tools,
      compression,
      signal,
      drain,
      history: createSessionHistory({ store, blobs, sessionId: session.id }),
      approver: new SessionApprover({ settings: approvals, service: this.approvals, writer, sandbox }),
      limits: limits ?? NO_LIMITS,
      retry: retry ?? DEFAULT_RETRY,
      costOf: (usage) => costOf?.(usage, driver),
      buildSystem: this.#systemBuilder(run),
      takeCompactionRequest: () => this.#context.takeRequest(session.id),
      ...(summariser === undefined ? {} : { summariser }),
      ...(maxToolOutputChars === undefined ? {} : { maxToolOutputChars }),
    });
  }

  /** Makes the system text; tells once of instructions that are too long for the window. */
  #systemBuilder({
    session,
    sandbox,
    driver,
    writer,
  }: {
    session: Session;
    sandbox: Sandbox;
    driver: ModelDriver;
    writer: SessionWriter;
  }) {
    const { instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
    const agent = this.#agentOf(session);
    const maxChars = maxInstructionChars(driver.info.windowTokens);
    let isTold = false;
    return async () => {
      const instructions = await readInstructionFiles(sandbox.files, instructionFiles, maxChars);
      const cut = instructions.filter((file) => file.isCut).map(({ path }) => path);
      if (cut.length > 0 && !isTold) {
        const message = `${cut.join(', ')}: only the first ${maxChars} characters are part of every request; the model can read the rest.`;
        await writer.announce({ type: 'context:warning', message });
      }
      isTold = true;
      return buildSystemPrompt({
        workspacePath: sandbox.workspacePath,
        sandbox: sandbox.description,
        date: new Date().toISOString().slice(0, 10),
        tools: agent.tools.map((tool) => tool.name),
        instructions: [...instructions, ...clientInstructions(agent)],
        ...(agent.prompt === undefined ? {} : { prompt: agent.prompt }),
      });
    };
  }

  #idleSystem(session: Session): Promise<string> {
    const { instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
    return idleSystemText(session, { agent: this.#agentOf(session), instructionFiles });
  }

  #agentOf(session: Session): SessionAgent {
    const { agentFor, tools, prompt } = this.#options;
    return agentFor?.(session) ?? { tools, ...(prompt === undefined ? {} : { prompt }) };
  }
}

/** A message to a session that is worked on is not lost. */
function queuedAtBusy(error: unknown): unknown {
  if (!(error instanceof LonghaulError) || error.code !== 'session_busy') return error;
  const { pid, host } = error.data;
  const message = `The session is being worked on (process ${pid} on ${host}). Your message waits in its queue, and is delivered at its next step.`;
  return new LonghaulError('session_busy', message, { data: error.data });
}

function titleOf(task: string): string {
  const line = task.trim().split('\n')[0] ?? '';
  return line.length <= 80 ? line : `${line.slice(0, 79)}…`;
}
