import { DEFAULT_AGENT } from '@longhaul/config';
import type { RouteHandlers } from '../http/route-handler.ts';
import type { HandlerContext } from './handler-context.ts';

type Names = 'listAgents' | 'listModels' | 'listProviders' | 'listWorkspaces' | 'getConfig';

export function directoryHandlers({
  agents,
  models,
  workspaces,
  config,
}: HandlerContext): Pick<RouteHandlers, Names> {
  return {
    async listAgents() {
      return {
        agents: agents.list().map(({ name, description, model, prompt, tools }) => ({
          name,
          description,
          model,
          isDefault: name === DEFAULT_AGENT,
          tools: tools.map((tool) => tool.name),
          hasPrompt: prompt !== undefined,
        })),
      };
    },

    listModels: ({ query }) => models.list(query),
    listProviders: () => models.providers(),

    async listWorkspaces() {
      return { workspaces: workspaces.roots.map((path, index) => ({ path, isDefault: index === 0 })) };
    },

    getConfig: () => config.get(),
  };
}
