import { type Config, listTaskAgents, loadAgents, type NamedAgents } from '@longhaul/config';
import type { SubtaskSettings } from '@longhaul/core';
import { createTools } from '@longhaul/tools';

/**
 * Returns the agents of the configuration, with the configured limits of their tools.
 *
 * @throws {LonghaulError} as `loadAgents`.
 */
export async function loadConfiguredAgents(config: Config): Promise<NamedAgents> {
  const { bash, read, grep, list, maxOutputChars } = config.tools;
  const fetch = config.sandbox.network === 'on' ? config.tools.fetch : undefined;
  const send = config.sessions.talk.length > 0;
  const todo = { context: config.context.budgetNotes };
  const task = config.subtasks.depth === 0 ? undefined : { agents: listTaskAgents(config) };
  const tools = createTools({ bash, read, grep, list, fetch, todo, task, send }).map((tool) =>
    tool.maxOutputChars === undefined ? { ...tool, maxOutputChars } : tool,
  );
  return await loadAgents(config, tools);
}

/** Returns what a runtime needs for child sessions. */
export function subtaskSettings(config: Config): SubtaskSettings {
  const { atOnce, depth } = config.subtasks;
  return { agents: listTaskAgents(config), atOnce, maxDepth: depth };
}
