export {
  AgentContextManager,
  type AgentContextManagerOptions,
  type InputEstimate,
  type ToolResponseCheck,
  type UsageStats,
} from './agent-context-manager.ts';
export { createConversationContext } from './compaction/conversation-context.ts';
export type { ContextSettings, ConversationContextOptions } from './compaction/settings.ts';
export type {
  AnswerSoFar,
  AskCompactionModel,
  CompactedFacts,
  CompactionAsk,
  CompactionManner,
  CompactionSetting,
  ContextNotice,
  ConversationContext,
  ConversationRequest,
  Observation,
  ObservedUsage,
  Prepared,
  PrepareOptions,
  StreamWatch,
  StrictRoles,
} from './compaction/types.ts';
export { type Gateway, startGateway } from './gateway.ts';
export type {
  GatewayOptions,
  LogEntry,
  ModelSettings,
  NoticeManner,
  UpstreamOptions,
  UpstreamProcess,
} from './options.ts';
export type { GatewayPageOptions, KeptChange, SettingsKeeper } from './page/page-options.ts';
export type { GatewayStatus, ModelStats, ModelStatus, StatusError } from './status/gateway-stats.ts';
export { type ForgottenWindow, forgetWindow } from './upstream/forget-window.ts';
