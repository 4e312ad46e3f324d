import { type Config, loadAgents, type NamedAgents } from '@longhaul/config';
import { createTools } from '@longhaul/tools';

/**
 * Returns the agents of the configuration, with the configured limits of their tools.
 *
 * @throws {LonghaulError} as `loadAgents`.
 */
export async function loadConfiguredAgents(config: Config): Promise<NamedAgents> {
  const { bash, read, grep, list, maxOutputChars } = config.tools;
  const fetch = config.sandbox.network === 'on' ? config.tools.fetch : undefined;
  const todo = { context: config.context.budgetNotes };
  const tools = createTools({ bash, read, grep, list, fetch, todo }).map((tool) =>
    tool.maxOutputChars === undefined ? { ...tool, maxOutputChars } : tool,
  );
  return await loadAgents(config, tools);
}
