export {
  agentNameOf,
  DEFAULT_AGENT,
  listTaskAgents,
  loadAgents,
  type NamedAgent,
  NamedAgents,
} from './agents/named-agents.ts';
export { checkServer } from './check-server.ts';
export {
  type CommandProblem,
  type LoadedCommands,
  loadCommands,
  type OwnCommand,
} from './commands/load-commands.ts';
export {
  type AgentConfig,
  type CompressionConfig,
  type CompressionTrigger,
  type Config,
  type ConfigInput,
  DEFAULT_CONFIG,
  type GatewayConfig,
  type GatewayUpstreamConfig,
  type HookConfig,
  type McpServerConfig,
  type ModelConfig,
  PROVIDER_KINDS,
  type ProviderConfig,
  type ProviderKind,
  STRATEGY_NAMES,
} from './config.ts';
export { type ConfigPath, pathText } from './config-layer.ts';
export type { ConfigOrigin, ConfigOrigins, ConfigSource } from './config-origins.ts';
export { type FindDefaultModelOptions, findDefaultModel } from './default-model.ts';
export { configJsonSchema } from './editor-schema.ts';
export {
  DEFAULT_EMBEDDED,
  type EmbeddedSettings,
  embeddedFolder,
  isEmbeddedName,
} from './embedded.ts';
export { upstreamKey } from './endpoint.ts';
export { referencedVariable } from './environment.ts';
export { expandHome } from './expand-home.ts';
export { GatewayFile } from './gateway-file.ts';
export { type GitConfig, requireGitAccess, requireGitSource } from './git-access.ts';
export { keySource } from './key-source.ts';
export { KeyStore, type StoredKeys } from './key-store.ts';
export { type LoadedConfig, loadConfig } from './load-config.ts';
export type { LoadConfigOptions } from './load-config-options.ts';
export { loadEditedDocument } from './load-edited-document.ts';
export { LoginStore } from './login-store.ts';
export { maskAddress, maskSettings } from './mask-secrets.ts';
export { modelPlaces, noModelMessage } from './no-model-message.ts';
export { replaceFile } from './replace-file.ts';
export {
  type ModelSettings,
  type ResolvedModel,
  type ResolveModelOptions,
  resolveModel,
} from './resolve-model.ts';
export {
  modelInfoOf,
  type ResolvedWindow,
  type ResolveWindowOptions,
  resolveWindow,
} from './resolve-window.ts';
export { RuleFile } from './rule-file.ts';
export { loadSkills } from './skills/load-skills.ts';
export type { LoadedSkills, SkillProblem } from './skills/loaded-skills.ts';
export { grantable } from './trust/grantable.ts';
export type { ProjectPart, TrustedFiles } from './trust/project-part.ts';
export type { ProjectTrust, TrustGrant } from './trust/project-trust.ts';
export { storeTrust } from './trust/store-trust.ts';
export { TrustStore } from './trust/trust-store.ts';
export { type Danger, TRUST_TABLE } from './trust/trust-table.ts';
export type { Want } from './trust/wants.ts';
export { userFolder } from './user-folder.ts';
