export type { Budget, Trigger } from './budget.ts';
export { countAnyMedia, countMediaOf, type Media, type MediaCounter } from './media/count-media.ts';
export type { SummaryReply } from './narrative.ts';
export { type AiSdkMessage, aiSdkFormat } from './session/ai-sdk-format.ts';
export { type AnthropicMessage, anthropicFormat } from './session/anthropic-format.ts';
export { createContextSession } from './session/context-session.ts';
export {
  callPart,
  type MediaPart,
  type MessageFormat,
  type MessageReading,
  mediaPart,
  type OpenCall,
  opaquePart,
  type PartChange,
  type ToolAnswer,
  textPart,
} from './session/message-format.ts';
export { type OpenAiChatMessage, openAiChatFormat } from './session/openai-chat-format.ts';
export { RECALL_TOOL, type RecallInput } from './session/recall.ts';
export { type ResponsesItem, responsesFormat } from './session/responses-format.ts';
export type {
  CompactedMessages,
  ContextSession,
  ContextSessionOptions,
  ContextSessionState,
  FitOptions,
  FitSignal,
  FittedMessages,
  NamedSizes,
  SessionSummarise,
} from './session/session-types.ts';
export { messageCosts, newestMessages, planKeeping, type TailLimits } from './strategies/keep.ts';
export { type MiddleRemovalOptions, MiddleRemovalStrategy } from './strategies/middle-removal.ts';
export {
  type ProactiveThresholdOptions,
  ProactiveThresholdStrategy,
} from './strategies/proactive-threshold.ts';
export { type PruningAgentOptions, PruningAgentStrategy } from './strategies/pruning-agent.ts';
export { type ReactiveOverflowOptions, ReactiveOverflowStrategy } from './strategies/reactive-overflow.ts';
export { createStrategy, type StrategyOptions } from './strategies/registry.ts';
export { isStrategyName, STRATEGY_NAMES, type StrategyName } from './strategies/strategy-names.ts';
export {
  COMPACTION_THRESHOLD_PERCENT,
  RECENT_MESSAGES_TO_KEEP,
  type StructuredSummaryOptions,
  StructuredSummaryStrategy,
} from './strategies/structured-summary.ts';
export {
  type CancelSignal,
  type CompactionPlan,
  type CompressionStrategy,
  hideableMessages,
  type PlanInput,
} from './strategy.ts';
export { countByClasses, estimateTokens, memoizeCounter, type TokenCounter } from './tokens.ts';
