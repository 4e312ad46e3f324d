export type {
  AcpAgents,
  AcpCommand,
  AcpModels,
  AcpOptions,
  AcpWorkspace,
  ToolsWrapper,
} from './acp-options.ts';
export { serveAcp } from './serve-acp.ts';
