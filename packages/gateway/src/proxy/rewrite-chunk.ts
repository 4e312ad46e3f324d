import { addUsages, type ChunkFacts, type StreamIdentity } from './chunk-facts.ts';

export interface ChunkRewrite {
  /** The fields by which the client knows its answer. */
  identity: StreamIdentity;
  /** Whether the client has got the role of the answer. */
  hasRole: boolean;
  isUsageOurs: boolean;
  /** Usage of the earlier streams of the answer. */
  earlierUsage: Record<string, unknown> | undefined;
}

/**
 * Rewrites a chunk to match the answer that the client has seen so far: the same id, one role, the sum of usage. Returns
 * undefined if nothing is left.
 */
export function rewriteChunk(facts: ChunkFacts, answer: ChunkRewrite): Buffer | undefined {
  const { identity, hasRole, isUsageOurs, earlierUsage } = answer;
  const chunk: Record<string, unknown> = { ...facts.json, ...identity };
  if (isUsageOurs) delete chunk['usage'];
  else if (facts.usage !== undefined) chunk['usage'] = addUsages(earlierUsage, facts.usage);
  if (facts.hasRole && hasRole) {
    const isEmpty = facts.written === '' && facts.finishReason === undefined && facts.usage === undefined;
    if (isEmpty) return undefined;
    chunk['choices'] = withoutRoles(chunk['choices']);
  }
  return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
}

/** Removes `"usage":null`. The pattern cannot match inside a string, where quotes are escaped. */
export function withoutNullUsage(raw: Buffer): Buffer {
  return Buffer.from(raw.toString('utf8').replace(/,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,\s*/, ''));
}

function withoutRoles(choices: unknown): unknown {
  if (!Array.isArray(choices)) return choices;
  return choices.map((choice) => {
    const { role: _, ...delta } = choice.delta ?? {};
    return { ...choice, delta };
  });
}
