export { ClusterAddress } from './cluster/cluster-address.ts';
export type { HealthProbes } from './health/probes.ts';
export type { ServerRole } from './http/server-role.ts';
export { type LogFile, openLogFile } from './log-file.ts';
export { type LeftSessions, leftSessions } from './runs/left-sessions.ts';
export { type ListedToken, NamedTokens } from './safety/named-tokens.ts';
export { createSecretMask } from './safety/secret-mask.ts';
export { type TokenBudget, TokenBudgets } from './safety/token-budgets.ts';
export { maskNamedTokens } from './safety/token-name.ts';
export { createServerLog, LOG_LEVELS, type LogLevel } from './server-log.ts';
export {
  type ConfigService,
  DEFAULT_LIMITS,
  type ModelDirectory,
  type OpenAiOptions,
  type ReplayService,
  type ServedAgent,
  type ServerLimits,
  type ServerOptions,
  type SessionFileImporter,
  type SettingsService,
  type TrustService,
} from './server-options.ts';
export type { LonghaulServer } from './serving.ts';
export { startServer } from './start-server.ts';
