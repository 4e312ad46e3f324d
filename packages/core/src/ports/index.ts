export type { BlobInfo, BlobStore } from './blob-store.ts';
export type {
  ModelDriver,
  ModelInfo,
  ModelPrice,
  StepEvent,
  StepRequest,
  ToolSchema,
} from './model-driver.ts';
export type {
  DirectoryEntry,
  ExecOptions,
  ExecResult,
  FileInfo,
  Sandbox,
  SandboxDriver,
  SandboxKind,
  SandboxOptions,
  SandboxProbe,
  WorkspaceFiles,
} from './sandbox.ts';
export type {
  Claimant,
  DamagedRow,
  FinishRunOptions,
  ForkOptions,
  Lease,
  LeaseHolder,
  LeaseOwner,
  MessageClosing,
  MessageDraft,
  NewApproval,
  NewSession,
  RunRecord,
  SearchHit,
  SessionLog,
  SessionPatch,
  Store,
} from './store.ts';
