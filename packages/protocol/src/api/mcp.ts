import { z } from 'zod';
import { sessionIdSchema } from './common.ts';

export const mcpQuery = z.strictObject({
  sessionId: sessionIdSchema.optional().meta({
    description:
      'The session whose servers are meant. Default: of each server, the session that used it last.',
  }),
});

export const mcpServersSchema = z.looseObject({
  servers: z.array(
    z.looseObject({
      name: z.string(),
      place: z.string().meta({ description: 'Its command or its address. Keys are masked.' }),
      state: z.enum(['off', 'idle', 'starting', 'ready', 'failed']).meta({
        description:
          '`off`: turned off. `idle`: no run of this server process has used it yet. `failed`: see `error`; the next call starts it again.',
      }),
      error: z.string().optional(),
      tools: z.array(z.string()).meta({ description: 'As the server calls them.' }),
      schemaTokens: z.number().min(0).meta({
        description: 'Tokens of the schemas of its tools, in every request unless they are deferred.',
      }),
      isDeferred: z.boolean().meta({
        description: 'The schemas are not in requests: the model finds the tools with find_tools.',
      }),
    }),
  ),
});
export type McpServerList = z.infer<typeof mcpServersSchema>;

export const mcpOffersSchema = z.looseObject({
  prompts: z
    .array(
      z.looseObject({
        server: z.string(),
        name: z.string(),
        description: z.string(),
        arguments: z.array(z.looseObject({ name: z.string(), isRequired: z.boolean() })),
      }),
    )
    .meta({ description: 'A message that begins with `/SERVER:NAME` has the content of the prompt.' }),
  resources: z
    .array(z.looseObject({ server: z.string(), uri: z.string(), name: z.string() }))
    .meta({ description: 'A message with `@SERVER:URI` has the content of the resource.' }),
});
export type McpOffers = z.infer<typeof mcpOffersSchema>;
