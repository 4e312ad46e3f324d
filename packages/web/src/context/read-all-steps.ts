import type { LonghaulClient } from '@longhaul/client';
import type { ResponseOf } from '@longhaul/protocol/api';

export type Step = ResponseOf<'listSteps'>['steps'][number];

const PAGE = 5_000;

/** The answers of the model in a session, oldest first. Reverted ones are left out. */
export async function readAllSteps(
  client: LonghaulClient,
  { sessionId, signal }: { sessionId: string; signal: AbortSignal },
): Promise<Step[]> {
  const all: Step[] = [];
  let after = 0;
  for (;;) {
    const { steps, hasMore } = await client.steps(sessionId, { after, limit: PAGE }, { signal });
    all.push(...steps);
    after = steps.at(-1)?.sequence ?? after;
    if (!hasMore || steps.length === 0) return all.filter(({ isReverted }) => !isReverted);
  }
}
