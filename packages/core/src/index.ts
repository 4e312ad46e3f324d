export type { ContextShares } from '@longhaul/context/engine';
export { compactionHistory, type PastCompaction } from './context/compaction-history.ts';
export type {
  ContextReport,
  HiddenByCompaction,
  MessageRange,
  PinnedMessage,
} from './context/context-report.ts';
export type { LastMeasure } from './context/last-measure.ts';
export type { WindowSource } from './context/measure-session.ts';
export type { NextRequest, RequestMessage } from './context/next-request.ts';
export type {
  CompactionReport,
  CompactSessionOptions,
  CompactSessionResult,
  MeasureSessionOptions,
  PinResult,
  UndoResult,
} from './context/results.ts';
export { type CreateRuntimeOptions, createRuntime } from './create-runtime.ts';
export { defer } from './defer.ts';
export type { KeptOutputLimit } from './executor/kept-outputs.ts';
export { NO_LIMITS, type RunLimits } from './executor/limits/run-limits.ts';
export { describeMissingTool } from './executor/missing-tool.ts';
export { DEFAULT_RETRY, type RetryOptions } from './executor/model-call/retry.ts';
export type { StepOutcome } from './executor/model-call/step-outcome.ts';
export { StreamProcessor, type StreamProcessorOptions } from './executor/model-call/stream-processor.ts';
export { TurnExecutor } from './executor/turn-executor.ts';
export type { TurnExecutorOptions } from './executor/turn-executor-options.ts';
export type { CompressionSettings } from './executor/window/context-window.ts';
export { createNoSandbox, type NoSandboxOptions } from './no-sandbox.ts';
export { ALLOW_ALL } from './ports/approver.ts';
export { defineTool, type ToolDefinition } from './ports/define-tool.ts';
export type * from './ports/index.ts';
export { createToolFinder, matchTools, shownSchemas, shownTools } from './ports/tool-set.ts';
export type { SessionAgent } from './prompt/agent-prompt.ts';
export { type Environment, type Fact, factsOf, readEnvironment } from './prompt/environment.ts';
export { readGitStart } from './prompt/git-start.ts';
export type { InstructionFile } from './prompt/instruction-files.ts';
export { type OutsideInstructions, readOutsideInstructions } from './prompt/outside-instructions.ts';
export { buildSystemPrompt, type SystemPromptOptions } from './prompt/system-prompt.ts';
export type {
  ApproverContext,
  NewSessionOptions,
  ResumeResult,
  RunAgent,
  RunOptions,
  RuntimeOptions,
  SendAndWaitOptions,
} from './runtime/runtime-options.ts';
export type { Spending } from './runtime/spending.ts';
export { unfitSettings } from './runtime/unfit-settings.ts';
export { Runtime } from './runtime.ts';
export { type AnsweredApproval, ApprovalService } from './session/approvals/approval-service.ts';
export { type BegunCommand, backgroundCommands, loadBegunCommands } from './session/begun-commands.ts';
export { budgetStates } from './session/budgets/budget-states.ts';
export type { TalkSettings } from './session/contacts/may-write.ts';
export { MAX_HOPS, MAX_SENT_IN_TURN } from './session/contacts/session-contacts.ts';
export type { ForkPlace, ForkSessionOptions } from './session/draft-fork.ts';
export { EventHub, type EventListener } from './session/events/event-hub.ts';
export { findLastEvent } from './session/events/find-last-event.ts';
export { exportSession, type FamilyExport } from './session/export-session.ts';
export type { Branch, ConversationTree } from './session/files/conversation-tree.ts';
export type { CopyChanges } from './session/files/describe-changes.ts';
export { recordedTrees, treesOfExport, withPacks } from './session/files/export-packs.ts';
export type { RevertOptions, RevertResult } from './session/files/revert-options.ts';
export type { MergeCopyOptions } from './session/files/session-copies.ts';
export { findMessage } from './session/find-message.ts';
export { isHoldId, newId } from './session/ids.ts';
export {
  currentClaimant,
  currentOwner,
  isOwnerAlive,
} from './session/leases/lease-owner.ts';
export { drivingRun } from './session/leases/take-session.ts';
export { listMessages } from './session/list-messages.ts';
export { lastAnswer } from './session/messages/answer-text.ts';
export { coalesce } from './session/messages/coalesce.ts';
export { expandBlobReferences, storeMedia } from './session/messages/media.ts';
export {
  DEFAULT_MAX_PENDING,
  type EnqueueOptions,
  type EnqueueResult,
  MessageQueueService,
  queuedText,
} from './session/messages/message-queue-service.ts';
export { hasMedia, requireAccepted } from './session/messages/require-accepted.ts';
export { sessionOrigin } from './session/messages/session-origin.ts';
export { storedTokens } from './session/messages/stored-tokens.ts';
export { draftUserMessage } from './session/messages/user-message.ts';
export type { CancelResult } from './session/runs/cancel-session.ts';
export { describeLeft, type LeftProcess, type ProcessEnder } from './session/runs/end-left-processes.ts';
export { interrupted, interruptionOf } from './session/runs/interruption.ts';
export { endKeptProcesses, type KeptProcess, keptProcesses } from './session/runs/kept-processes.ts';
export type { ExecutorResult } from './session/runs/run-result.ts';
export { isNothingToResume } from './session/runs/turn-state.ts';
export {
  addSpent,
  type ChildrenSpent,
  NOTHING_SPENT,
  type SessionSpent,
  spentBy,
  spentByChildren,
  withAnswer,
} from './session/session-spent.ts';
export { type SessionState, sessionState } from './session/session-state.ts';
export { SessionWriter } from './session/session-writer.ts';
export { shareSession } from './session/share-session.ts';
export { assertDeletable } from './session/subtasks/assert-deletable.ts';
export { childrenOf, descendantsOf, type FamilyMember, rootOf } from './session/subtasks/family-tree.ts';
export { defaultTitle, taskOf } from './session/title/default-title.ts';
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
export { untilAborted } from './until-aborted.ts';
