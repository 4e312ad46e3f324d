export {
  agentNameOf,
  DEFAULT_AGENT,
  loadAgents,
  type NamedAgent,
  NamedAgents,
} from './agents/named-agents.ts';
export {
  type AgentConfig,
  type CompressionConfig,
  type CompressionTrigger,
  type Config,
  type ConfigInput,
  DEFAULT_CONFIG,
  type GatewayConfig,
  type GatewayUpstreamConfig,
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
export { expandHome, type LoadConfigOptions, type LoadedConfig, loadConfig } from './load-config.ts';
export { maskAddress } from './mask-address.ts';
export { modelPlaces, noModelMessage } from './no-model-message.ts';
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
