import { z } from 'zod';

/** The agent of the session itself. */
export const SAME_AGENT = '__same__';

const schema = z.looseObject({
  pruningAgentId: z.string().optional(),
  pruningAgent: z
    .looseObject({ id: z.string(), model: z.string().optional(), notice: z.string().optional() })
    .optional(),
});

/** What writes summaries and selects messages, as the settings name it. Undefined from a server without this setting. */
export function pruningAgentOf(
  settings: object,
): { id: string; model?: string | undefined; notice?: string | undefined } | undefined {
  const { pruningAgent, pruningAgentId } = schema.parse(settings);
  return pruningAgent ?? (pruningAgentId === undefined ? undefined : { id: pruningAgentId });
}
