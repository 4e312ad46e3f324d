/**
 * The HTTP API: one table of operations with the schemas of their requests and responses. It is a separate subpath
 * because it depends on zod.
 */
export type { AnswerApprovalBody, AnsweredApprovalResult, ApprovalList } from './approvals.ts';
export type { ChatBody, ChatUiMessage } from './chat.ts';
export {
  type ErrorBody,
  errorBodySchema,
  errorShapeSchema,
  modelNameSchema,
  sessionIdSchema,
  strategyNameSchema,
} from './common.ts';
export { toContentParts, type UserContent, userContentPartSchema, userContentSchema } from './content.ts';
export type { CompactBody, CompactResult, ContextInfo, PinnedResult, UndoneResult } from './context.ts';
export type { AgentList, ProviderList, ShownConfig, WorkspaceList } from './directory.ts';
export { eventSchema, type Resync, resyncSchema } from './events.ts';
export type { McpOffers, McpServerList } from './mcp.ts';
export type {
  CancelResult,
  EditQueuedBody,
  ListedMessage,
  MessagePage,
  PostMessageBody,
  Queue,
  ResumeResult,
  SearchResult,
  SendMessageBody,
  SendResult,
} from './messages.ts';
export { sendResultSchema } from './messages.ts';
export type { ChatCompletionBody } from './openai.ts';
export type { ReplayQuery, ReplayReport } from './replay.ts';
export type { ApiRoute } from './route.ts';
export {
  API_ROUTES,
  type ApiRoutes,
  type BodyInputOf,
  type BodyOf,
  type HeadersOf,
  type OperationName,
  type ParamsOf,
  type QueryInputOf,
  type QueryOf,
  type ResponseOf,
} from './routes.ts';
export type { HealthChecks, ImportResult } from './service.ts';
export type {
  CreateSessionBody,
  ForkSessionBody,
  SessionDetail,
  SessionInfo,
  SessionPage,
  SessionState,
  UpdateSessionBody,
} from './sessions.ts';
export type { Models, ModelsQuery, Settings, SettingsBody } from './settings.ts';
export type { WorkspaceSkills } from './skills.ts';
export type { AnswerTrustBody, WorkspaceTrust } from './trust.ts';
export { type UsageReport, usageDay, usageKeys } from './usage.ts';
