export { alwaysWords } from './always-words.ts';
export type { Approval, ApprovalAnswer, AskingChild } from './approval.ts';

export {
  BUDGET_SCOPES,
  type Budget,
  type BudgetFacts,
  type BudgetScope,
  type BudgetState,
  type Budgets,
  type BudgetUnit,
  NO_BUDGETS,
  type SpentAmount,
  USAGE_KEYS,
  type UsageKey,
} from './budget.ts';
export { describeSwitch } from './describe-switch.ts';
export { nearestNames, pairSimilarity, suggestion } from './did-you-mean.ts';
export { isBlank, saysNothing, withoutTurnEnd } from './empty-text.ts';
export { ERROR_TRAITS, type ErrorCode } from './error-traits.ts';
export {
  type ErrorShape,
  LonghaulError,
  type LonghaulErrorOptions,
  toLonghaulError,
} from './errors.ts';
export {
  type ActivityStatus,
  type EventEnvelope,
  type EventOf,
  type EventPayload,
  type EventType,
  isDurable,
  type LonghaulEvent,
  type RunStatus,
} from './events.ts';
export {
  describePatch,
  type FileChange,
  type PatchPart,
  parseTreeReference,
  treeReference,
} from './file-change.ts';
export { foldName } from './fold-name.ts';
export { type GitAddress, type GitProtocol, isGitRef, parseGitAddress } from './git-address.ts';
export {
  GIT_START_KEY,
  type GitStart,
  gitAtStart,
  isBranchName,
  isCommitId,
  parseGitStart,
} from './git-start.ts';
export { isToolName } from './is-tool-name.ts';
export { isDeeperThan, isObject, isTextList, type JsonObject, type JsonValue, parseJson } from './json.ts';
export {
  type Compaction,
  type CompactionReason,
  type CutMark,
  isMessageMark,
  type Mark,
  type MessageMark,
  type OmitMark,
  type OpaqueSummary,
  type PinMark,
  type PruneMark,
  type RevertMark,
  type Summary,
} from './mark.ts';
export { findMentions, type Mention } from './mentions.ts';
export {
  blobReference,
  type CoalescedMessage,
  type FileContent,
  type FilePart,
  type FinishReason,
  handleOf,
  type ImageContent,
  isOpen,
  type MediaData,
  type Message,
  type MessageMetadata,
  type MessageOrigin,
  type MessageStatus,
  type NoticePart,
  type Part,
  type ProviderMetadata,
  parseBlobReference,
  parseHandle,
  type QueuedMessage,
  type ReasoningPart,
  type Role,
  type Session,
  type SessionStatus,
  type StreamState,
  type SyntheticReason,
  type TextContent,
  type TextPart,
  type ToolOutputContent,
  type ToolPart,
  type ToolState,
  type UserMessageContentPart,
} from './message.ts';
export {
  type ChatCompletion,
  type ChatCompletionChunk,
  type ChatCompletionRequest,
  type ChatContentPart,
  type ChatErrorBody,
  type ChatFinishReason,
  type ChatMessage,
  type ChatTool,
  type ChatToolCall,
  type ChatToolCallDelta,
  type ChatUsage,
  isFrontEndTask,
} from './openai-chat.ts';
export {
  beginsTurn,
  ORIGIN_NAMES,
  originEnd,
  originLine,
  originName,
  originOf,
  originsOf,
  quoteImitations,
} from './origin.ts';
export {
  type CheckedContent,
  checkContent,
  expectation,
  isOfRunningCall,
  QUESTION_TOOL,
  type Question,
  type QuestionField,
  questionOf,
  readField,
  samplingName,
} from './question.ts';
export {
  ACCESS_KEY,
  ADMIN_NAME,
  accessMetadata,
  accessOf,
  maySee,
  type SessionAccess,
  SHARES,
  type Share,
  TOKEN_SCOPES,
  type TokenScope,
} from './session-access.ts';
export { MACHINE_KEY, machineOf } from './session-machine.ts';
export { PRIORITIES, PRIORITY_KEY, type Priority, priorityOf } from './session-priority.ts';
export { shownModel } from './shown-model.ts';
export {
  type ChildPlace,
  childMetadata,
  childPlaceOf,
  type SubtaskFacts,
  type SubtaskState,
  subtaskMetadata,
  subtaskOf,
} from './subtask.ts';
export { matchesPattern } from './text-pattern.ts';
export type { TrustWant } from './trust-want.ts';
export { compactionOfMessage, type TypedCompaction, typedCompaction } from './typed-compaction.ts';
export { addUsage, type TokenUsage, ZERO_USAGE } from './usage.ts';
export { escapedCharacter, showDirections, visible, visibleLine, visibleToApprove } from './visible.ts';
export {
  type GitSource,
  WORKSPACE_SOURCE_KEY,
  type WorkspaceSource,
  workspaceSourceMetadata,
  workspaceSourceOf,
} from './workspace-source.ts';
