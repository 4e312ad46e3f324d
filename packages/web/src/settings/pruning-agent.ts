import type { Settings } from '@longhaul/protocol/api';

/** The agent of the session itself. */
export const SAME_AGENT = '__same__';

/** The agent or model that writes summaries. Undefined from a server without this setting. */
export interface PruningAgent {
  id: string;
  /** The model that an agent stands for. */
  model: string | undefined;
  /** Present if the agent is gone. */
  notice: string | undefined;
}

export function pruningAgentOf({ pruningAgent, pruningAgentId }: Settings): PruningAgent | undefined {
  if (pruningAgentId === undefined) return undefined;
  const model = pruningAgent?.model;
  // The choice itself says it.
  const isNamed = model === undefined || model === pruningAgentId || model === SAME_AGENT || model === 'none';
  return { id: pruningAgentId, model: isNamed ? undefined : model, notice: pruningAgent?.notice };
}
