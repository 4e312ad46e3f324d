import { z } from 'zod';
import { jsonObjectSchema } from './common.ts';

/** What sessions of a server can name: agents, providers of models, folders; and its configuration. */

export const agentsSchema = z.looseObject({
  agents: z
    .array(
      z.looseObject({
        name: z.string(),
        description: z.string().optional(),
        model: z
          .string()
          .optional()
          .meta({ description: 'provider/model. Absent: the default model of the server.' }),
        isDefault: z.boolean().meta({ description: 'The agent of sessions that name none.' }),
        tools: z.array(z.string()),
        hasPrompt: z.boolean().meta({ description: 'It has a system prompt of its own.' }),
      }),
    )
    .meta({ description: 'The default agent first.' }),
});
export type AgentList = z.infer<typeof agentsSchema>;

export const providersSchema = z.looseObject({
  providers: z.array(
    z.looseObject({
      name: z.string(),
      isConfigured: z.boolean(),
      address: z.string().optional().meta({
        description: 'Where Longhaul looks for this server of models on the machine of the server.',
      }),
      needsKey: z.boolean(),
      hasKey: z.boolean(),
      keyFrom: z
        .string()
        .optional()
        .meta({ description: 'The variable of the environment that the key comes from.' }),
      variables: z
        .array(z.string())
        .meta({ description: 'Variables of the environment that could hold its key.' }),
      problem: z
        .string()
        .optional()
        .meta({ description: 'Why no model of it can be used. Absent: nothing is known against it.' }),
    }),
  ),
});
export type ProviderList = z.infer<typeof providersSchema>;

export const workspacesSchema = z.looseObject({
  workspaces: z
    .array(z.looseObject({ path: z.string(), isDefault: z.boolean() }))
    .meta({ description: 'Sessions can work in these folders and below them.' }),
});
export type WorkspaceList = z.infer<typeof workspacesSchema>;

export const shownConfigSchema = z.looseObject({
  config: jsonObjectSchema.meta({ description: 'The effective configuration. Keys and tokens are masked.' }),
  origins: z
    .record(
      z.string(),
      z.looseObject({
        from: z.string(),
        path: z.string().optional(),
        variable: z.string().optional(),
      }),
    )
    .meta({
      description: 'Where each value comes from, by its path. A value without an origin is the default.',
    }),
  sources: z.array(z.string()).meta({ description: 'The files that were read, highest precedence first.' }),
  ignored: z
    .array(z.looseObject({ key: z.string(), reason: z.string() }))
    .meta({ description: "What the project's file wants and does not get." }),
});
export type ShownConfig = z.infer<typeof shownConfigSchema>;
