import type { CompressionStrategy } from '@longhaul/context/engine';
import type { Budgets, EventPayload, Session, TokenUsage, UserMessageContentPart } from '@longhaul/protocol';
import type { KeptOutputLimit } from '../executor/kept-outputs.ts';
import type { RunLimits } from '../executor/limits/run-limits.ts';
import type { RetryOptions } from '../executor/model-call/retry.ts';
import type { CompressionSettings } from '../executor/window/context-window.ts';
import type {
  Approver,
  BlobStore,
  Dispatcher,
  DriverFor,
  FileTrees,
  Hook,
  ModelDriver,
  MovingWorkspaces,
  RecordProcess,
  Sandbox,
  SessionSkills,
  Store,
  SubtaskSettings,
  Tool,
  ToolConnector,
} from '../ports/index.ts';
import type { SessionAgent } from '../prompt/agent-prompt.ts';
import type { InstructionFile } from '../prompt/instruction-files.ts';
import type { ApprovalService } from '../session/approvals/approval-service.ts';
import type { TalkSettings } from '../session/contacts/may-write.ts';
import type { EnqueueOptions } from '../session/messages/message-queue-service.ts';
import type { ProcessEnder } from '../session/runs/end-left-processes.ts';
import type { ExecutorResult } from '../session/runs/run-result.ts';
import type { SessionWriter } from '../session/session-writer.ts';

/** The agent of a session, with the settings in which it differs from others. */
export interface RunAgent extends SessionAgent {
  /** Default: that of the runtime. */
  compression?: CompressionSettings | undefined;
  /** Default: those of the runtime. */
  limits?: RunLimits | undefined;
  /** The model that writes narratives: `provider/model`, or null for none. Default: as `summariserFor` chooses. */
  summariser?: string | null | undefined;
}

/** The dependencies and settings of a runtime. */
export interface RuntimeOptions extends ProcessEnder {
  store: Store;
  blobs: BlobStore;
  tools: readonly Tool[];
  /** Connects further tools for each session. Default: none. */
  toolConnector?: ToolConnector | undefined;
  /**
   * Opens the sandbox of a run. It is closed when the run ends. Pass `recordProcess` to the sandbox, so that a later
   * run can end what this one leaves running.
   */
  openSandbox: (session: Session, signal: AbortSignal, recordProcess: RecordProcess) => Promise<Sandbox>;
  /** Records and restores the files of workspaces. Default: neither is possible. */
  fileTrees?: FileTrees | undefined;
  /** Makes the folders of sessions that move between machines. Default: there are no such sessions. */
  movingWorkspaces?: MovingWorkspaces | undefined;
  /** Whether runs record the files of their workspace. Default true. */
  recordsFiles?: boolean;
  /** Returns the driver for a session's model. */
  driverFor: DriverFor;
  /**
   * Returns the driver that writes narratives, or undefined for summaries with the ledger only. Default: the session's
   * model.
   */
  summariserFor?: (model: string, signal?: AbortSignal) => Promise<ModelDriver | undefined>;
  compression: CompressionSettings;
  /**
   * Returns a strategy by its name, for a compaction of a session that names another strategy than the configured one.
   *
   * @throws {LonghaulError} `config_invalid`
   */
  strategyFor?: (name: string, session: Session) => CompressionStrategy | Promise<CompressionStrategy>;
  costOf?: (usage: TokenUsage, driver: ModelDriver) => number | undefined;
  /** Gets the sessions for which a caller waits. Default: this process drives them. */
  dispatcher?: Pick<Dispatcher, 'request'> | undefined;
  /**
   * Returns the budgets of the sessions that belong to the token of this name. Called before each model call. Default:
   * there are none. What is used is stored in any case.
   */
  budgetsFor?: ((owner: string) => Budgets | Promise<Budgets>) | undefined;
  /**
   * Returns the approver of one run: it decides which tool calls are allowed, need approval, or are denied.
   * `createApprovers` of `@longhaul/approvals` decides by rules; `() => ALLOW_ALL` allows every call.
   */
  approverFor: (context: ApproverContext) => Approver;
  /** Maximum characters of a tool's output, for tools without their own maximum. */
  maxToolOutputChars?: number;
  /**
   * Adds `rawResult` to `llm:tool-result`: the text of a tool as it returned it, neither cleaned nor cut. Events are
   * stored, so this takes room in the database. Default false.
   */
  rawToolResults?: boolean;
  /**
   * Asks the model once a run to continue, if its final answer leaves items of the todo list open, or announces a step.
   * Default true.
   */
  askOpenItems?: boolean;
  /**
   * Tells the model in a note how full its context is, at 70 % and 85 % of what triggers a compaction, and lets tools
   * keep facts and ask for a compaction. Default true.
   */
  budgetNotes?: boolean;
  /**
   * Whether the model that writes narratives is asked for the title of a session that has only the first line of its
   * task. Default false.
   */
  titles?: boolean;
  /** Which sessions may write to which, with the tool `send`. Default: none. */
  talk?: TalkSettings | undefined;
  limits?: RunLimits;
  /** The limit of what one session keeps of cut tool outputs. Default: none. */
  keptOutput?: KeptOutputLimit;
  retry?: RetryOptions;
  /** Paths of instruction files in the workspace. Default: `AGENTS.md`. */
  instructionFiles?: readonly string[];
  /**
   * Reads instruction files that are not in the workspace, such as `readOutsideInstructions`. Called at the start of a
   * run and after a compaction. Default: there are none.
   */
  outsideInstructions?: (workspace: string) => Promise<readonly InstructionFile[]>;
  /** Reads the skills of a session. Called when a run starts, and to measure the session. Default: there are none. */
  skillsFor?: (session: Session) => Promise<SessionSkills>;
  /** Returns the code of the user that runs at events of a run. Called when a run starts. Default: none. */
  hooksFor?: (session: Session) => Promise<readonly Hook[]>;
  /** Child sessions. Default: sessions have none. */
  subtasks?: SubtaskSettings | undefined;
  /** Replaces the built-in system prompt. */
  prompt?: string;
  /**
   * Returns the agent of a session. Default: `tools` and `prompt` for all sessions.
   *
   * @throws {LonghaulError} `unknown_agent`
   */
  agentFor?: (session: Session) => RunAgent;
  /**
   * Called when a run starts, before the other options are read for it. Returns events to emit after `run:started`. If
   * it throws, the run does not start.
   */
  prepareRun?: (session: Session) => Promise<readonly EventPayload[]>;
}

/** The workspace, model and task of a new session. */
export interface NewSessionOptions {
  /** An id of `newId`. Default: a new one. */
  id?: string;
  /** Absolute path of an existing folder. */
  workspace: string;
  /** `provider/model`. */
  model: string;
  task: string;
  title?: string;
  metadata?: Session['metadata'];
}

/** What a run begins with, and what ends it. */
export interface RunOptions {
  /** Queued before the run starts. Absent: the run continues with the log and the queue. */
  content?: readonly UserMessageContentPart[];
  signal?: AbortSignal;
}

/** How a message is queued, and what ends the wait. */
export interface SendAndWaitOptions extends EnqueueOptions {
  signal?: AbortSignal;
}

/** The result of the resumed run, or that there was nothing to resume. */
export type ResumeResult = ExecutorResult | { status: 'nothing' };

/** The parts that an approver of one run uses. */
export interface ApproverContext {
  service: ApprovalService;
  writer: SessionWriter;
  sandbox: Pick<Sandbox, 'kind' | 'workspacePath' | 'toolFiles'>;
  /** Aborts when the run must end after its current step. An open request then stays open for the run that resumes. */
  drain?: AbortSignal;
}
