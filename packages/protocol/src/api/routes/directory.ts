import { agentsSchema, providersSchema, shownConfigSchema, workspacesSchema } from '../directory.ts';
import type { ApiRoute } from '../route.ts';
import { modelsQuery, modelsSchema } from '../settings.ts';

export const directoryRoutes = {
  listAgents: {
    method: 'GET',
    path: '/api/agents',
    tag: 'directory',
    summary: 'List the agents that a session can name',
    status: 200,
    response: agentsSchema,
  },
  listModels: {
    method: 'GET',
    path: '/api/models',
    tag: 'directory',
    summary: 'List the models that a session can use',
    query: modelsQuery,
    status: 200,
    response: modelsSchema,
  },
  listProviders: {
    method: 'GET',
    path: '/api/providers',
    tag: 'directory',
    summary: 'List the providers of models, and whether they have a key',
    status: 200,
    response: providersSchema,
  },
  listWorkspaces: {
    method: 'GET',
    path: '/api/workspaces',
    tag: 'directory',
    summary: 'List the folders in which sessions can work',
    status: 200,
    response: workspacesSchema,
  },
  getConfig: {
    method: 'GET',
    path: '/api/config',
    tag: 'directory',
    summary: 'Get the effective configuration, and where each value comes from',
    status: 200,
    response: shownConfigSchema,
  },
} as const satisfies Record<string, ApiRoute>;
