export type {
  ApprovalRequest,
  ApprovalVerdict,
  Approver,
  QuestionAnswer,
  QuestionRequest,
} from './approver.ts';
export type {
  BackgroundCommand,
  BackgroundCommands,
  BackgroundEnd,
  BackgroundWatcher,
  NewOutput,
  StartBackground,
} from './background.ts';
export type { BlobInfo, BlobStore } from './blob-store.ts';
export { type Contact, type Contacts, MAX_LISTED_CONTACTS, type SentToContact } from './contacts.ts';
export type { CompactionForecast, ContextControl } from './context-control.ts';
export type { Dispatcher, DriveOutcome, DriveSession } from './dispatcher.ts';
export type {
  ChangedFiles,
  DiffOptions,
  FileRecorder,
  FileTrees,
  RecordedChange,
  Restored,
  TreeBlobs,
  TreeEntry,
} from './file-trees.ts';
export type { Hook, HookContext, HookEvent, HookName, HookResult } from './hook.ts';
export type {
  MergeConflict,
  MergeConflictReason,
  MergedFiles,
  MergeOutcome,
  MergeRequest,
} from './merged-files.ts';
export type {
  DriverFor,
  ModelDriver,
  ModelInfo,
  ModelPrice,
  ProviderCompaction,
  ProviderCompactionRequest,
  ServerWindow,
  StepEvent,
  StepRequest,
  ToolSchema,
} from './model-driver.ts';
export type { MovingWorkspaces, SettledWorkspace, SettleRequest } from './moving-workspaces.ts';
export type {
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileInfo,
  KeptCommands,
  ProcessEnding,
  ProcessOptions,
  ProcessPlace,
  RecordProcess,
  Sandbox,
  SandboxDriver,
  SandboxKind,
  SandboxOptions,
  SandboxProbe,
  SandboxProcess,
  SandboxRules,
  WorkspaceFiles,
} from './sandbox.ts';
export type { SessionSkills, Skill, SkillSource, SkillText } from './skill-source.ts';
export type { ApprovalStore, NewAnswer, NewApproval } from './store/approval-store.ts';
export type { CancelStore } from './store/cancel-store.ts';
export type { EventStore } from './store/event-store.ts';
export type {
  Claimant,
  FinishRunOptions,
  Lease,
  LeaseHolder,
  LeaseOwner,
  LeaseStore,
  RunRecord,
} from './store/lease-store.ts';
export type {
  DamagedRow,
  LogStore,
  MessageClosing,
  MessageDraft,
  MessagePage,
  SequenceRange,
  SessionLog,
  SessionView,
  ViewOptions,
} from './store/log-store.ts';
export type { LedgerCheckpoint, MarkStore, SequenceSpan } from './store/mark-store.ts';
export type { KeptOutput, OutputRecord, OutputStore } from './store/output-store.ts';
export type { NewProcess, ProcessOutcome, ProcessRecord, ProcessStore } from './store/process-store.ts';
export type { QueueStore } from './store/queue-store.ts';
export type { SearchHit, SearchOptions, SearchStore } from './store/search-store.ts';
export type {
  ForkOptions,
  NewSession,
  SessionPatch,
  SessionQuery,
  SessionStore,
  StagedChild,
  StagedSession,
  TitleChange,
} from './store/session-store.ts';
export type { SettingsStore } from './store/settings-store.ts';
export type { Store } from './store/store.ts';
export type { SpentTotals, UsageEntry, UsageQuery, UsageRow, UsageStore } from './store/usage-store.ts';
export type {
  CopyMerge,
  CopyMergeRequest,
  OwnFiles,
  SubtaskAgent,
  SubtaskCall,
  SubtaskOutcome,
  SubtaskRequest,
  SubtaskSettings,
  Subtasks,
} from './subtasks.ts';
export type {
  ModelQuestion,
  ModelReply,
  SessionHistory,
  StandIn,
  Tool,
  ToolContext,
  ToolInput,
  ToolResult,
} from './tool.ts';
export type { ConnectedTools, NamedContent, ToolConnection, ToolConnector } from './tool-connector.ts';
export type { FindTool } from './tool-set.ts';
export type { CopySource, SharedFolder, WorkspaceCopies, WorkspaceCopy } from './workspace-copies.ts';
