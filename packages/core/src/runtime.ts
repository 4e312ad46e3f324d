import {
  type EventPayload,
  LonghaulError,
  type Session,
  toLonghaulError,
  type UserMessageContentPart,
  workspaceSourceOf,
} from '@longhaul/protocol';
import { withoutCompactionRequest } from './context/compaction-request.ts';
import type { ContextReport } from './context/context-report.ts';
import { idleSystemText } from './context/idle-system.ts';
import { type LastMeasure, lastMeasure } from './context/last-measure.ts';
import type { NextRequest } from './context/next-request.ts';
import type {
  CompactSessionOptions,
  CompactSessionResult,
  MeasureSessionOptions,
  PinResult,
  UndoResult,
} from './context/results.ts';
import { SessionContext } from './context/session-context.ts';
import type { CompressionSettings } from './executor/window/context-window.ts';
import { KeptLedgers } from './executor/window/kept-ledgers.ts';
import type { ModelInfo, SessionLog } from './ports/index.ts';
import { createToolFinder } from './ports/tool-set.ts';
import { agentInFamily } from './runtime/agent-in-family.ts';
import { executeRun, summariserOf } from './runtime/execute-run.ts';
import { withCompactionHooks } from './runtime/idle-hooks.ts';
import type {
  NewSessionOptions,
  ResumeResult,
  RunAgent,
  RunOptions,
  RuntimeOptions,
  SendAndWaitOptions,
} from './runtime/runtime-options.ts';
import { withSkills } from './runtime/session-skills.ts';
import { Spending } from './runtime/spending.ts';
import { ApprovalService } from './session/approvals/approval-service.ts';
import { withConnectedTools } from './session/connected-tools.ts';
import { draftFork, type ForkSessionOptions, type MovingPlace } from './session/draft-fork.ts';
import { draftSession } from './session/draft-session.ts';
import { isEndDue } from './session/due-hooks.ts';
import { EventFollower } from './session/events/event-follower.ts';
import { EventHub, type EventListener } from './session/events/event-hub.ts';
import { SessionFiles } from './session/files/session-files.ts';
import { newId } from './session/ids.ts';
import { type EnqueueResult, MessageQueueService } from './session/messages/message-queue-service.ts';
import type { CancelRequest, CancelResult } from './session/runs/cancel-session.ts';
import { endKeptProcesses } from './session/runs/kept-processes.ts';
import { closeOpenPart } from './session/runs/repair.ts';
import type { ExecutorResult } from './session/runs/run-result.ts';
import { type RunWork, SessionRuns, type StartOptions } from './session/runs/session-runs.ts';
import { isAnswered } from './session/runs/turn-state.ts';
import { WaitingCallers } from './session/runs/waiting-callers.ts';
import { ifBusy } from './session/session-errors.ts';
import { ChildSessions } from './session/subtasks/child-sessions.ts';
import { Families } from './session/subtasks/families.ts';
import { undeliveredChildren } from './session/subtasks/undelivered-children.ts';
import { summaryUntil } from './session/summary-until.ts';

const DEFAULT_INSTRUCTION_FILES = ['AGENTS.md'];

/** Creates sessions, runs them, and gives access to their queue, context and events. */
export class Runtime {
  readonly queue: MessageQueueService;
  readonly approvals: ApprovalService;
  readonly files: SessionFiles;
  readonly spending: Spending;
  readonly #options: RuntimeOptions;
  readonly #hub = new EventHub();
  readonly #follower: EventFollower;
  readonly #runs: SessionRuns;
  readonly #callers: WaitingCallers;
  readonly #context: SessionContext;
  readonly #ledgers = new KeptLedgers();
  readonly #families = new Families();
  readonly #children: ChildSessions;

  constructor(options: RuntimeOptions) {
    this.#options = options;
    this.spending = new Spending(options);
    const { store, blobs, driverFor, prepareRun } = options;
    const hub = this.#hub;
    this.queue = new MessageQueueService({
      store,
      blobs,
      hub,
      infoFor: (id) => this.#infoFor(id),
      toolsFor: async (id) => this.#agentOf(await this.#runs.existing(id)).tools,
      // Names of connected tools begin with the name of their server: SERVER_tool.
      mayConnect: (pattern) => options.toolConnector !== undefined && /[_*]/.test(pattern),
    });
    this.approvals = new ApprovalService({ store, hub });
    const follower = new EventFollower({ store, hub });
    this.#follower = follower;
    this.#runs = new SessionRuns({
      store,
      hub,
      follower,
      driverFor,
      prepareRun,
      execute: (work) => this.#execute(work),
      finishRevert: (writer, session) => this.files.finishPending(writer, session),
      ender: options,
      isRepeatableFor: (session) => {
        const findTool = createToolFinder(this.#agentIfKnown(session)?.tools ?? []);
        return (name) => findTool(name)?.isRepeatable === true;
      },
    });
    this.#children = new ChildSessions({
      store,
      hub,
      follower,
      queue: this.queue,
      runs: this.#runs,
      families: this.#families,
      copies: () => this.files.copies,
    });
    this.files = new SessionFiles({
      store,
      hub,
      runs: this.#runs.registry,
      trees: () => options.fileTrees,
      cancel: (sessionId) => this.cancel(sessionId),
      mayWrite: (session) => {
        const findTool = createToolFinder(this.#agentOf(session).tools);
        return (name) => findTool(name)?.isReadOnly !== true;
      },
    });
    this.#callers = new WaitingCallers({
      store,
      hub,
      follower,
      runs: this.#runs,
      dispatcher: options.dispatcher,
    });
    this.#context = new SessionContext({
      ...options,
      hub,
      runs: this.#runs.registry,
      systemText: async (session) =>
        idleSystemText(session, {
          ...this.#systemOf(session),
          ...(await this.#idleAgent(session)),
          outsideInstructions: options.outsideInstructions,
          blobs: options.blobs,
        }),
      toolsFor: async (session) => (await this.#idleAgent(session)).agent.tools,
      compressionFor: (session) => this.#compressionOf(session),
      withHooks: (work, compact) => withCompactionHooks(work, options, compact),
      summariserFor: (session, signal) =>
        summariserOf(session, { agent: this.#agentOf(session), options, signal }),
      metered: (driver, session) => this.spending.metered(driver, session),
    });
  }

  /** Subscribes to the events of all sessions of this runtime. Returns a function that ends the subscription. */
  subscribe(listener: EventListener): () => void {
    return this.#hub.subscribe(listener);
  }

  createSession(options: NewSessionOptions): Promise<Session> {
    return this.#options.store.createSession(draftSession(options));
  }

  send(sessionId: string, content: readonly UserMessageContentPart[]): Promise<EnqueueResult> {
    return this.queue.enqueue(sessionId, content);
  }

  /** Reports what fills the session's window: tokens by kind, and the parts hidden from the model. */
  contextOf(sessionId: string, options?: MeasureSessionOptions): Promise<ContextReport> {
    return this.#context.report(sessionId, options);
  }

  /** Returns the size of the session's last request, without reading its messages. Undefined: it has not run. */
  lastMeasureOf(session: Session): Promise<LastMeasure | undefined> {
    const { store } = this.#options;
    return lastMeasure(session.id, { store, compression: this.#compressionOf(session) });
  }

  /** Returns the session's next request, if it were sent now. Calls no model. */
  nextRequestOf(sessionId: string): Promise<NextRequest> {
    return this.#context.nextRequest(sessionId);
  }

  /**
   * Compacts the session now, or returns a preview. During a run, the run compacts at its next step.
   *
   * @throws {LonghaulError} `session_not_found`, `window_unknown`, `context_exhausted`, `config_invalid`, `cancelled`
   * (the session is then unchanged).
   */
  compact(sessionId: string, options?: CompactSessionOptions): Promise<CompactSessionResult> {
    return this.#context.compact(sessionId, options);
  }

  /**
   * Undoes the newest compaction. The model sees the hidden messages again until the next compaction is needed.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`.
   */
  undoCompaction(sessionId: string): Promise<UndoResult> {
    return this.#context.undo(sessionId);
  }

  /**
   * Keeps a message in every view, regardless of compactions. `target` is a handle (`m12`, `m12.3`) or a message id.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy`, `not_found`.
   */
  pin(sessionId: string, target: string): Promise<PinResult> {
    return this.#context.pin(sessionId, target);
  }

  /** Allows compactions to hide the message again. Throws the errors of `pin`. */
  unpin(sessionId: string, target: string): Promise<PinResult> {
    return this.#context.unpin(sessionId, target);
  }

  /**
   * Runs the session until it is idle. Failures during the run are part of the result; failures to start it are thrown.
   * If another run drives the session or takes `content` first, the outcome of the run that takes it is the result.
   *
   * @throws {LonghaulError} `session_not_found`, `session_busy` without `content`, `cancelled` if the run of another
   * process that took `content` was cancelled, `invalid_request`, `interrupted` while the program stops,
   * `processes_left` if a command of an earlier run may still run, and errors of the driver, the sandbox and the store.
   */
  async run(sessionId: string, { content, signal }: RunOptions = {}): Promise<ExecutorResult> {
    await this.#runs.existing(sessionId);
    if (content !== undefined) return this.#runWith(sessionId, content, signal);
    const result = await this.#runs.start(sessionId, { signal });
    if (result !== undefined) return result;
    throw new LonghaulError('internal', 'The run was not started.');
  }

  /**
   * Resumes a session: closes what a crash left open, reports it (`run:repaired`), and runs the session until it is
   * idle.
   *
   * @returns `{status: 'nothing'}` if the last turn is answered and the queue is empty. No model is called then.
   * @throws {LonghaulError} See `run`.
   */
  async resume(sessionId: string, { signal }: { signal?: AbortSignal } = {}): Promise<ResumeResult> {
    return (
      (await this.#runs.start(sessionId, this.#ifUnfinished(sessionId, signal))) ?? { status: 'nothing' }
    );
  }

  /**
   * Sends a message and waits for the outcome of the run that takes it. Starts a run if the session is idle. During a
   * run of any process, the message waits in the queue for its next step. If one run takes the messages of several
   * callers, they get the same outcome.
   *
   * @param options.id Repeating an id does not send the message again, and waits for the same outcome.
   * @param options.signal Ends the wait, not the run.
   * @throws {LonghaulError} `cancelled` if the run was cancelled, the message was removed, or the signal aborted;
   * `queue_full`; see `run`.
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
   * Ends the commands that the session keeps running after its runs, and returns their handles. Call it before the
   * session is deleted: later, nobody knows them.
   */
  async endKeptCommands(sessionId: string): Promise<string[]> {
    const { store, endProcess } = this.#options;
    const session = await store.getSession(sessionId);
    if (session === undefined || endProcess === undefined) return [];
    return (await endKeptProcesses(store, session, endProcess)).map(({ handle }) => handle);
  }

  /**
   * Cancels the run, or the work between runs, of any process. Resolves when its work has stopped. The log is kept, and
   * queued messages are kept unless `clearQueue` is set. If the process of the run is dead, closes what it left open.
   *
   * With `force`, a process of this machine that does not answer within `answerWithinMs` is ended.
   *
   * @throws {LonghaulError} `session_not_found`; `process_hung` if the process does not answer and is not ended.
   */
  cancel(sessionId: string, request: Partial<CancelRequest> = {}): Promise<CancelResult> {
    return this.#runs.cancel(sessionId, { clearQueue: false, force: false, ...request });
  }

  /**
   * Creates a session with a copy of this one up to and including message `at` (a sequence; default: the last one).
   * Open parts are interrupted in the copy.
   *
   * @throws {LonghaulError} `session_not_found`, `not_found`.
   */
  async fork(sessionId: string, options: ForkSessionOptions = {}): Promise<Session> {
    const source = withoutCompactionRequest(await this.#runs.existing(sessionId));
    const { at } = options;
    const summary =
      at === undefined ? source.summary : await summaryUntil(this.#options.store, source.id, at);
    const moving = options.place === undefined ? await this.#movingPlace(source, at) : undefined;
    const session = { ...draftFork(source, options, moving), summary };
    return this.#options.store.forkSession(sessionId, session, {
      at: options.at,
      newId,
      close: (part) => closeOpenPart(part, session.createdAt),
    });
  }

  /** Returns the folder of a copy, if the source moves between machines: the copy has one of its own. */
  async #movingPlace(session: Session, at: number | undefined): Promise<MovingPlace | undefined> {
    const source = workspaceSourceOf(session);
    const { movingWorkspaces } = this.#options;
    if (source === undefined || movingWorkspaces === undefined) return undefined;
    const id = newId();
    const tree = (await this.files.treeAfter(session.id, at)) ?? source.tree;
    return {
      id,
      workspace: await movingWorkspaces.folderOf(id, source),
      source: { ...source, tree, machine: undefined },
    };
  }

  /**
   * Also emits the events that other processes store for the session, until the result is disposed. Each event is
   * emitted once, in the order of the numbers. Chunks are not stored, so chunks of other processes are not emitted.
   *
   * @throws {LonghaulError} `session_not_found`.
   */
  follow(sessionId: string): Promise<AsyncDisposable> {
    return this.#follower.follow(sessionId);
  }

  /**
   * Stores and emits events of an idle session. Returns false, and does nothing, while a run drives the session.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  announce(sessionId: string, events: readonly EventPayload[]): Promise<boolean> {
    return this.#runs.announce(sessionId, events);
  }

  /**
   * Emits that a person has given the session a title. The event is stored too, unless a run drives the session.
   *
   * @throws {LonghaulError} `session_not_found`
   */
  async reportTitle(sessionId: string, title: string): Promise<void> {
    const event = { type: 'session:titled', title } as const;
    const isEmitted = await this.announce(sessionId, [event]);
    if (!isEmitted) this.#hub.emit({ ...event, sessionId, at: Date.now() });
  }

  /** Emits that a session waits for a place of a server, and at which position. Undefined: it gave its turn up. */
  reportWaiting(sessionId: string, position: number | undefined): void {
    this.#hub.emit({ type: 'run:waiting', sessionId, at: Date.now(), position });
  }

  /**
   * Stores the end of the session's last run, if the store has refused it, for example because the disk was full.
   *
   * @throws {LonghaulError} The store's error, if it still refuses it.
   */
  storeEnd(sessionId: string): Promise<void> {
    return this.#runs.registry.unstoredEnds.store(sessionId);
  }

  /**
   * Stops the runtime before the program ends: refuses new runs, lets current steps finish, and after `graceMs`
   * interrupts the remaining runs. They end as `interrupted` and can be resumed. Resolves when all runs have ended and
   * the connected tools are closed.
   */
  async stop({ graceMs = 10_000 }: { graceMs?: number } = {}): Promise<void> {
    await this.#runs.stop(graceMs);
    await this.#options.toolConnector?.close();
  }

  async #runWith(
    sessionId: string,
    content: readonly UserMessageContentPart[],
    signal: AbortSignal | undefined,
  ): Promise<ExecutorResult> {
    const { id, eventNumber } = await this.send(sessionId, content);
    // Another process may take the session, and with it the message, at any moment.
    const isWanted = async () => (await this.queue.list(sessionId)).some((message) => message.id === id);
    const result = await this.#runs.start(sessionId, { signal, isWanted }).catch(ifBusy);
    return (
      result ??
      (await this.#callers.answerTo(sessionId, { id, eventNumber, waitBeganAt: eventNumber }, signal))
    );
  }

  /** Options for a start that does nothing if the last turn is answered and the queue is empty. */
  #ifUnfinished(sessionId: string, signal: AbortSignal | undefined): StartOptions {
    const isWanted = async ({ messages, session }: SessionLog) =>
      !isAnswered(messages) ||
      isEndDue(session) ||
      (await this.queue.hasPending(sessionId)) ||
      (await undeliveredChildren(this.#options.store, sessionId)).length > 0;
    return { signal, isWanted };
  }

  /** The model of a session. Undefined if it cannot be opened now: its next run reports that. */
  async #infoFor(sessionId: string): Promise<ModelInfo | undefined> {
    const { model } = await this.#runs.existing(sessionId);
    return await this.#options.driverFor(model).then(
      ({ info }) => info,
      () => undefined,
    );
  }

  async #execute(work: RunWork): Promise<ExecutorResult> {
    const system = this.#systemOf(work.session);
    return executeRun(work, {
      ...system,
      options: this.#options,
      approvals: this.approvals,
      context: this.#context,
      ledgers: this.#ledgers,
      families: this.#families,
      children: this.#children,
      copies: this.files.copies,
      hub: this.#hub,
      queue: this.queue,
      spending: this.spending,
    });
  }

  #systemOf(session: Session): { agent: RunAgent; instructionFiles: readonly string[] } {
    const { instructionFiles = DEFAULT_INSTRUCTION_FILES } = this.#options;
    return { agent: this.#agentOf(session), instructionFiles };
  }

  #compressionOf(session: Session): CompressionSettings {
    return this.#agentIfKnown(session)?.compression ?? this.#options.compression;
  }

  /** Sessions of an agent that is no longer configured can still be listed. */
  #agentIfKnown(session: Session): RunAgent | undefined {
    try {
      return this.#agentOf(session);
    } catch (error) {
      if (toLonghaulError(error).code === 'unknown_agent') return undefined;
      throw error;
    }
  }

  /** The agent of a session between its runs, with its skills and the tools that were connected in its last run. */
  async #idleAgent(session: Session): ReturnType<typeof withSkills> {
    const options = this.#options;
    const connected = await withConnectedTools(this.#agentOf(session), session, options.blobs);
    return withSkills(connected, session, options);
  }

  #agentOf(session: Session): RunAgent {
    const { agentFor, tools, prompt } = this.#options;
    return agentInFamily(session, agentFor?.(session) ?? { tools, prompt }, this.#options.subtasks);
  }
}
