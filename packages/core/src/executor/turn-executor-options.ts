import type { TokenUsage } from '@longhaul/protocol';
import type { Approver } from '../ports/approver.ts';
import type { BlobStore, ConnectedTools, Contacts, ModelDriver, Sandbox } from '../ports/index.ts';
import type { SessionHistory, Tool } from '../ports/tool.ts';
import type { SpendingMeter } from '../session/budgets/spending-meter.ts';
import type { SessionWriter } from '../session/session-writer.ts';
import type { FamilyLink } from '../session/subtasks/families.ts';
import type { RunBackground } from './background/run-background.ts';
import type { RunEnvironment } from './environment-note.ts';
import type { KeptOutputs } from './kept-outputs.ts';
import type { RunLimits } from './limits/run-limits.ts';
import type { RetryOptions } from './model-call/retry.ts';
import type { RunHooks } from './run-hooks.ts';
import type { RunSkills } from './skill-note.ts';
import type { FileRecording } from './step-files.ts';
import type { SubtaskHost } from './subtasks/run-subtasks.ts';
import type { TitleSettings } from './title/session-title.ts';
import type { CompactorOptions } from './window/compactor.ts';
import type { CompressionSettings } from './window/context-window.ts';
import type { KeptLedgers } from './window/kept-ledgers.ts';

/** The dependencies and settings of one run. */
export interface TurnExecutorOptions {
  writer: SessionWriter;
  driver: ModelDriver;
  /** Writes narratives. Without it, a summary has the ledger only. */
  summariser?: ModelDriver;
  /** How the session gets its title. Default: it keeps the one it has. */
  title?: TitleSettings | undefined;
  sandbox: Sandbox;
  /** Absent: no command can run in the background. */
  background?: RunBackground;
  /** Absent: the session may write to no other session. */
  contacts?: Contacts | undefined;
  blobs: BlobStore;
  /** Absent: the session can have no children. */
  subtasks?: SubtaskHost | undefined;
  /** What the parent shares, if it runs this session. */
  family?: FamilyLink | undefined;
  tools: readonly Tool[];
  /** Called after each compaction. Returns the tools if they have changed. */
  renewTools?: (() => Promise<readonly Tool[] | undefined>) | undefined;
  history: SessionHistory;
  /** See `ConnectedTools`. */
  readNamed?: ConnectedTools['readNamed'];
  approver: Approver;
  /** Maximum characters of a tool's output, for tools without their own maximum. */
  maxToolOutputChars?: number;
  /** See `RuntimeOptions`. */
  rawToolResults?: boolean;
  /** Limits what the session keeps of cut outputs. Default: no limit. */
  keptOutputs?: KeptOutputs;
  /** Records what changes in the workspace. Default: nothing is recorded. */
  files?: FileRecording | undefined;
  /** For the model: the session has come from another machine. Default: it has not. */
  arrivalNote?: string | undefined;
  /** See `RuntimeOptions`. */
  askOpenItems?: boolean | undefined;
  /** See `RuntimeOptions`. */
  budgetNotes?: boolean | undefined;
  compression: CompressionSettings;
  limits: RunLimits;
  /** Says when a budget has nothing left. The drivers check it too. Default: there are none. */
  budgets?: Pick<SpendingMeter, 'refusal'> | undefined;
  retry: RetryOptions;
  costOf: (usage: TokenUsage) => number | undefined;
  environment: RunEnvironment;
  /** Code of the user that runs at certain events. Default: none. */
  hooks?: RunHooks | undefined;
  /** Absent: the session has no skills. */
  skills?: RunSkills | undefined;
  /** Called before each step. Returns each compaction request once. */
  takeCompactionRequest?: CompactorOptions['takeCompactionRequest'];
  signal: AbortSignal;
  /** Keeps the session's facts for its next run in this process. */
  ledgers?: KeptLedgers;
  /** Ends the run as interrupted after the current step, so that it can be resumed later. */
  drain?: AbortSignal;
}
