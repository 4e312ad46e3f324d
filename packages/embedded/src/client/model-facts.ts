import { LonghaulError } from '@longhaul/protocol';
import * as z from 'zod';

const facts = z.object({
  model: z.string(),
  windowTokens: z.number(),
  windowSource: z.string(),
  slots: z.number(),
  gpu: z.union([z.string(), z.literal(false)]),
  threads: z.number(),
  pid: z.number(),
});

/** What the process of a model reports of it. */
export type ModelFacts = z.infer<typeof facts>;

const answers = z.union([
  z.object({ longhaul: facts }),
  z.object({ error: z.object({ message: z.string() }) }),
]);

/** @throws {LonghaulError} `config_invalid` with the reason why the model could not be loaded. */
export async function readFacts(
  fetch: typeof globalThis.fetch,
  signal: AbortSignal | undefined,
): Promise<ModelFacts> {
  const response = await fetch('http://model/props', { signal: signal ?? null });
  const answer = answers.parse(await response.json());
  if ('longhaul' in answer) return answer.longhaul;
  throw new LonghaulError('config_invalid', answer.error.message);
}
