import type { AgentCapabilities } from '@agentclientprotocol/sdk';

/** Returns what this agent supports beyond the minimum of the protocol. */
export function agentCapabilities(): AgentCapabilities {
  return {
    loadSession: true,
    promptCapabilities: { image: true, audio: false, embeddedContext: true },
    mcpCapabilities: { http: false, sse: false },
    sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {} },
  };
}
