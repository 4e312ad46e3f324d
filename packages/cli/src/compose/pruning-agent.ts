import { type Config, DEFAULT_AGENT } from '@longhaul/config';
import type { Store } from '@longhaul/core';

/** The key of the agent or model that writes summaries, if it was changed over the API. */
const KEY = 'pruning-agent';
const SAME = '__same__';

/** Who writes the narratives of summaries. */
export interface PruningAgent {
  /** `__same__`, `none`, the name of an agent, or `provider/model`. */
  id: string;
  /** As `context.compression.model`: `__same__`, `none` or `provider/model`. */
  model: string;
  /** Present if the agent is gone. */
  notice?: string;
}

export async function readPruningAgentId(store: Store): Promise<string | undefined> {
  const id = await store.getSetting(KEY);
  return typeof id === 'string' ? id : undefined;
}

export async function writePruningAgentId(store: Store, id: string | undefined): Promise<void> {
  await store.putSetting(KEY, id);
}

/** @param id Undefined: as configured. An agent that is gone is replaced by the session's own model. */
export function pruningAgent(config: Config, id: string | undefined): PruningAgent {
  const { model } = config.context.compression;
  if (id === undefined) return { id: model, model };
  if (id === SAME || id === 'none' || id.includes('/')) return { id, model: id };
  const isKnown = id === DEFAULT_AGENT || Object.hasOwn(config.agents, id);
  if (isKnown) return { id, model: config.agents[id]?.model ?? config.model ?? SAME };
  const notice = `The agent ${JSON.stringify(id)}, which should write summaries, is no longer configured. The model of each session writes its summaries.`;
  return { id, model: SAME, notice };
}

/** Returns the configuration with the model that the pruning agent stands for. */
export function withPruningAgent(config: Config, id: string | undefined): Config {
  if (id === undefined) return config;
  const { model } = pruningAgent(config, id);
  const { context } = config;
  return { ...config, context: { ...context, compression: { ...context.compression, model } } };
}
