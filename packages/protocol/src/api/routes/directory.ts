import { ADDRESSES } from '../addresses.ts';
import { agentsSchema, providersSchema, shownConfigSchema, workspacesSchema } from '../directory.ts';
import type { ApiRoute } from '../route.ts';
import { modelsQuery, modelsSchema } from '../settings.ts';

export const directoryRoutes = {
  listAgents: {
    ...ADDRESSES.listAgents,
    tag: 'directory',
    summary: 'List the agents that a session can name',
    status: 200,
    response: agentsSchema,
  },
  listModels: {
    ...ADDRESSES.listModels,
    tag: 'directory',
    summary: 'List the models that a session can use',
    query: modelsQuery,
    status: 200,
    response: modelsSchema,
  },
  listProviders: {
    ...ADDRESSES.listProviders,
    tag: 'directory',
    summary: 'List the providers of models, and whether they have a key',
    status: 200,
    response: providersSchema,
  },
  listWorkspaces: {
    ...ADDRESSES.listWorkspaces,
    tag: 'directory',
    summary: 'List the folders in which sessions can work',
    status: 200,
    response: workspacesSchema,
  },
  getConfig: {
    ...ADDRESSES.getConfig,
    tag: 'directory',
    summary: 'Get the effective configuration, and where each value comes from',
    status: 200,
    response: shownConfigSchema,
  },
} as const satisfies Record<string, ApiRoute>;
