import { LonghaulError } from '@longhaul/protocol';
import { z } from 'zod';

/** Operations of the server that the client has no method for yet. */
export type PageCalls = ReturnType<typeof createPageCalls>;

export const figuresSchema = z.looseObject({
  cost: z.number().optional(),
  steps: z.number(),
  context: z
    .looseObject({
      tokens: z.number(),
      usableTokens: z.number(),
      windowTokens: z.number(),
      triggerTokens: z.number().optional(),
    })
    .optional(),
  queued: z.number(),
  openApprovals: z.number(),
});
export type SessionFigures = z.infer<typeof figuresSchema>;

const workspaces = z.looseObject({
  workspaces: z.array(z.looseObject({ path: z.string(), isDefault: z.boolean() })),
});
const agents = z.looseObject({
  agents: z.array(
    z.looseObject({
      name: z.string(),
      description: z.string().optional(),
      model: z.string().optional(),
      isDefault: z.boolean(),
      tools: z.array(z.string()),
      hasPrompt: z.boolean(),
    }),
  ),
});
const providers = z.looseObject({
  providers: z.array(
    z.looseObject({
      name: z.string(),
      isConfigured: z.boolean(),
      variables: z.array(z.string()),
      hasKey: z.boolean(),
      needsKey: z.boolean(),
      keyFrom: z.string().optional(),
      problem: z.string().optional(),
    }),
  ),
});
const config = z.looseObject({
  config: z.record(z.string(), z.unknown()),
  origins: z.record(
    z.string(),
    z.looseObject({ from: z.string(), path: z.string().optional(), variable: z.string().optional() }),
  ),
  sources: z.array(z.string()),
  ignored: z.array(z.looseObject({ key: z.string(), reason: z.string() })),
});
export type Agent = z.infer<typeof agents>['agents'][number];
export type Provider = z.infer<typeof providers>['providers'][number];
export type ConfigReport = z.infer<typeof config>;

export function createPageCalls(send: typeof fetch) {
  const get = async <T>(path: string, schema: z.ZodType<T>, signal?: AbortSignal): Promise<T> =>
    schema.parse(await (await request(send, 'GET', path, { signal })).json());
  type Options = { signal?: AbortSignal };
  return {
    workspaces: ({ signal }: Options) => get('/api/workspaces', workspaces, signal),
    agents: ({ signal }: Options) => get('/api/agents', agents, signal),
    providers: ({ signal }: Options) => get('/api/providers', providers, signal),
    config: ({ signal }: Options) => get('/api/config', config, signal),
    deleteSession: async (id: string, undoSeconds: number) => {
      await request(send, 'DELETE', `/api/sessions/${encodeURIComponent(id)}?undoSeconds=${undoSeconds}`, {});
    },
    restoreSession: async (id: string) => {
      await request(send, 'POST', `/api/sessions/${encodeURIComponent(id)}/restore`, { body: {} });
    },
  };
}

async function request(
  send: typeof fetch,
  method: string,
  path: string,
  { body, signal }: { body?: unknown; signal?: AbortSignal | undefined },
): Promise<Response> {
  const response = await send(path, {
    method,
    signal: signal ?? null,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  });
  if (response.ok) return response;
  const { error } = z
    .looseObject({ error: z.looseObject({ message: z.string() }) })
    .parse(await response.json());
  throw new LonghaulError('invalid_request', error.message);
}
