import type { CompressionStrategy } from '@longhaul/context';
import {
  type EventPayload,
  LonghaulError,
  type LonghaulEvent,
  type Session,
  type TokenUsage,
  toLonghaulError,
  type UserMessageContentPart,
  ZERO_USAGE,
} from '@longhaul/protocol';
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
import type { BlobStore, Lease, ModelDriver, Sandbox, SessionLog, Store } from './ports/index.ts';
import { maxInstructionChars, readInstructionFiles } from './prompt/instruction-files.ts';
import { buildSystemPrompt } from './prompt/system-prompt.ts';
import { EventHub, type EventListener } from './session/event-hub.ts';
import { keepLease, LEASE_TTL_MS } from './session/idle-lease.ts';
import { newId } from './session/ids.ts';
import { currentOwner, isOwnerAlive } from './session/lease-owner.ts';
import { type EnqueueResult, MessageQueueService } from './session/message-queue-service.ts';
import { repairOpenParts } from './session/repair.ts';
import { createSessionHistory } from './session/session-history.ts';
import { SessionWriter } from './session/session-writer.ts';
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
}

export interface NewSessionOptions {
  /** Absolute path of an existing folder. */
  workspace: string;
  /** `provider/model`. */
  model: string;
  task: string;
  title?: string;
}

export interface RunOptions {
  /** Sent before the run starts. Absent: goes on with what waits in the queue. */
  content?: readonly UserMessageContentPart[];
  signal?: AbortSignal;
}

const DEFAULT_INSTRUCTION_FILES = ['AGENTS.md'];

/** Sessions and their runs, on the parts that were passed in. */
export class Runtime {
  readonly queue: MessageQueueService;
  readonly #options: RuntimeOptions;
  readonly approvals: ApprovalService;
  readonly #hub = new EventHub();
  readonly #context: SessionContext;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.queue = new MessageQueueService({ store: options.store, blobs: options.blobs, hub: this.#hub });
    this.#context = new SessionContext({
    this.approvals = new ApprovalService({ store: options.store, hub: this.#hub });
      ...options,
      hub: this.#hub,
      systemText: (session) => this.#idleSystem(session),
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
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `invalid_request`, and what opening driver or store throws.
   */
  async run(
    sessionId: string,
    { content, signal = new AbortController().signal }: RunOptions = {},
  ): Promise<ExecutorResult> {
    const { store } = this.#options;
    const session = await this.#existing(sessionId);
    const driver = await this.#options.driverFor(session.model);
    const runId = newId();
    if (content !== undefined) await this.send(sessionId, content);
    const { lease, events } = await store
      .acquireLease(sessionId, {
        runId,
        owner: currentOwner(),
        ttlMs: LEASE_TTL_MS,
        isAlive: isOwnerAlive,
        events: [{ type: 'run:started', runId, task: session.task, model: session.model }],
      })
      .catch((error: unknown) => {
        throw content === undefined ? error : queuedAtBusy(error);
      });
    this.#emitAll(events);
    await using _renewal = keepLease(store, lease);
    return this.#drive({ session, driver, lease, signal });
  }

  async #drive(run: {
    session: Session;
    driver: ModelDriver;
    lease: Lease;
    signal: AbortSignal;
  }): Promise<ExecutorResult> {
    const { store } = this.#options;
    const log = await store.loadLog(run.session.id);
    const writer = new SessionWriter({ store, lease: run.lease, hub: this.#hub, log });
    let result: ExecutorResult | undefined;
    try {
      await this.#reportDamage(writer, log);
      const asked = await this.approvals.list(run.session.id);
      await repairOpenParts(writer, Date.now(), new Set(asked.map(({ handle }) => handle)));
      await using sandbox = await this.#options.openSandbox(run.session, run.signal);
      const executor = await this.#createExecutor({ ...run, writer, sandbox });
      result = await executor.run();
    } catch (error) {
      if (result === undefined) {
        await this.#failRun(writer, error);
        throw error;
      }
      // The run has ended and been told; only its sandbox could not be closed.
      process.emitWarning(`The sandbox of a run could not be closed: ${toLonghaulError(error).message}`);
    }
    return result;
  }

  async #createExecutor(run: {
    session: Session;
    driver: ModelDriver;
    signal: AbortSignal;
    writer: SessionWriter;
    sandbox: Sandbox;
  }): Promise<TurnExecutor> {
    const {
      store,
      blobs,
      tools,
      compression,
      costOf,
      approvals = ALLOW_BY_DEFAULT,
      limits,
      retry,
      summariserFor,
      maxToolOutputChars,
    } = this.#options;
    const { session, driver, signal, writer, sandbox } = run;
    const summariser = summariserFor === undefined ? driver : await summariserFor(session.model);
    return new TurnExecutor({
      writer,
      driver,
      sandbox,
      blobs,
      tools,
      compression,
      signal,
      history: createSessionHistory({
        store,
        blobs,
        sessionId: session.id,
        messages: () => writer.log.messages,
      }),
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
    sandbox,
    driver,
    writer,
  }: {
    sandbox: Sandbox;
    driver: ModelDriver;
    writer: SessionWriter;
  }) {
    const { tools, prompt, instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
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
        tools: tools.map((tool) => tool.name),
        instructions,
        ...(prompt === undefined ? {} : { prompt }),
      });
    };
  }

  #idleSystem(session: Session): Promise<string> {
    const { tools, prompt, instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
    return idleSystemText(session, { tools: tools.map((tool) => tool.name), instructionFiles, prompt });
  }

  async #reportDamage(writer: SessionWriter, { damaged }: SessionLog): Promise<void> {
    if (damaged.length === 0) return;
    const warnings = damaged.map<EventPayload>(({ table, id, reason }) => ({
      type: 'context:warning',
      message: `A damaged row was left out: ${table} ${id}: ${reason}`,
    }));
    await writer.announce(...warnings);
  }

  /** A run that could not be driven still ends in the store and for those who watch. */
  async #failRun(writer: SessionWriter, thrown: unknown): Promise<void> {
    const error = toLonghaulError(thrown);
    const status = error.code === 'cancelled' ? 'cancelled' : 'failed';
    const finished: EventPayload = {
      type: 'run:finished',
      runId: writer.lease.runId,
      status,
      stepCount: 0,
      usage: ZERO_USAGE,
      text: '',
      error: error.toShape(),
      compactions: 0,
    };
    try {
      await writer.finishRun({
        status,
        sessionStatus: status,
        onlyIfQueueEmpty: false,
        events: [finished, { type: 'session:status', status: 'idle' }],
      });
    } catch {
      // The store is what failed: the caller gets the first error, and those who watch are told without it.
      writer.emitTransient(finished);
    }
  }

  async #existing(sessionId: string): Promise<Session> {
    const session = await this.#options.store.getSession(sessionId);
    if (session !== undefined) return session;
    throw new LonghaulError(
      'session_not_found',
      `There is no session ${sessionId}. \`longhaul sessions\` lists them.`,
    );
  }

  #emitAll(events: readonly LonghaulEvent[]): void {
    for (const event of events) this.#hub.emit(event);
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
