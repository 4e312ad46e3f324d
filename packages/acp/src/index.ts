export type {
  AcpAgents,
  AcpModels,
  AcpOptions,
  AcpWorkspace,
  SandboxWrapper,
} from './acp-options.ts';
export { serveAcp } from './serve-acp.ts';
