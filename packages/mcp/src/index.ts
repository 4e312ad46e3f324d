export { ServerPool, type ServerPoolOptions } from './server-pool.ts';
export type { Environment, ServerSettings } from './server-settings.ts';
export { type ServerReport, SessionServers, type SessionServersOptions } from './session-servers.ts';
