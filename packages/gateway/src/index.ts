export { type Gateway, startGateway } from './gateway.ts';
export type {
  GatewayOptions,
  LogEntry,
  ModelSettings,
  NoticeManner,
  UpstreamOptions,
} from './options.ts';
export type { GatewayStatus, ModelStats, ModelStatus, StatusError } from './status/gateway-stats.ts';
