export { type LogInOptions, logIn } from './login/log-in.ts';
export { type LoginStorage, loginAddress } from './login/server-login.ts';
export { ServerPool, type ServerPoolOptions } from './server-pool.ts';
export { type Environment, filledIn, type ServerSettings } from './server-settings.ts';
export { type ServerReport, SessionServers, type SessionServersOptions } from './session-servers.ts';
