export type {
  ContextReport,
  ContextShares,
  HiddenByCompaction,
  MessageRange,
  PinnedMessage,
} from './context/context-report.ts';
export type { WindowSource } from './context/measure-session.ts';
export type {
  CompactionReport,
  CompactSessionOptions,
  CompactSessionResult,
  MeasureSessionOptions,
  PinResult,
  UndoResult,
} from './context/results.ts';
export type { CompressionSettings } from './executor/context-window.ts';
export { defer } from './executor/defer.ts';
export type { ExecutorResult } from './executor/executor-result.ts';
export { DEFAULT_RETRY, type RetryOptions } from './executor/retry.ts';
export { NO_LIMITS, type RunLimits } from './executor/run-limits.ts';
export type { StepOutcome } from './executor/step-outcome.ts';
export { StreamProcessor, type StreamProcessorOptions } from './executor/stream-processor.ts';
export { TurnExecutor, type TurnExecutorOptions } from './executor/turn-executor.ts';
export { ALLOW_ALL } from './ports/approver.ts';
export type * from './ports/index.ts';
export type { SessionAgent } from './prompt/session-agent.ts';
export { buildSystemPrompt, type SystemPromptOptions } from './prompt/system-prompt.ts';
export type { ApproverContext } from './runtime/approver-context.ts';
export type {
  ForkSessionOptions,
  NewSessionOptions,
  ResumeResult,
  RunOptions,
  RuntimeOptions,
  SendAndWaitOptions,
} from './runtime/runtime-options.ts';
export { Runtime } from './runtime.ts';
export { type AnsweredApproval, ApprovalService } from './session/approval-service.ts';
export type { CancelResult } from './session/cancel-session.ts';
export { coalesce } from './session/coalesce.ts';
export { EventHub, type EventListener } from './session/event-hub.ts';
export { exportSession } from './session/export-session.ts';
export { findLastEvent } from './session/find-last-event.ts';
export { newId } from './session/ids.ts';
export { interrupted, interruptionOf } from './session/interruption.ts';
export { currentClaimant, currentOwner, isOwnerAlive } from './session/lease-owner.ts';
export { expandBlobReferences, storeMedia } from './session/media.ts';
export {
  DEFAULT_MAX_PENDING,
  type EnqueueResult,
  MessageQueueService,
} from './session/message-queue-service.ts';
export { isNothingToResume } from './session/nothing-to-resume.ts';
export { type SessionState, sessionState } from './session/session-state.ts';
export { SessionWriter } from './session/session-writer.ts';
export { storedTokens } from './session/stored-tokens.ts';
export { drivingRun } from './session/take-session.ts';
export { draftUserMessage } from './session/user-message.ts';
export {
  createRunTelemetry,
  type RunTelemetryOptions,
  type TelemetryApi,
} from './telemetry/run-telemetry.ts';
export { sanitizeText, sanitizeToolResult } from './tool-output/output-sanitizer.ts';
export {
  type CutNotice,
  DEFAULT_MAX_TOOL_OUTPUT_CHARS,
  formatToolOutput,
  TRUNCATION_MARKER,
  type TruncatedOutput,
  type TruncateOptions,
  truncateToolOutput,
} from './tool-output/tool-output-truncator.ts';
