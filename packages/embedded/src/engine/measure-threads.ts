import type { LlamaModel, Token } from '../library/llama-types.ts';

const SAMPLE_TOKENS = 2;

/**
 * Finds the number of threads with which the model writes fastest. More threads than free cores make it slower, because
 * they wait for one another. Starts with one, and stops when more are slower.
 */
export async function measureThreads(
  model: LlamaModel,
  cores: number,
  now: () => number = () => performance.now(),
): Promise<number> {
  const candidates = [...new Set([1, Math.ceil(cores / 2), cores])].filter((count) => count >= 1);
  let best: { threads: number; ms: number } | undefined;
  for (const threads of candidates) {
    const ms = await sampleMs(model, { threads, mostMs: best?.ms ?? Number.POSITIVE_INFINITY, now });
    if (best !== undefined && ms > best.ms) break;
    best = { threads, ms };
  }
  return best?.threads ?? 1;
}

interface Sample {
  threads: number;
  /** A slower sample is not finished. */
  mostMs: number;
  now: () => number;
}

async function sampleMs(model: LlamaModel, { threads, mostMs, now }: Sample): Promise<number> {
  const context = await model.createContext({ contextSize: 256, sequences: 1, threads });
  try {
    const sequence = context.getSequence();
    const [token = 0]: Token[] = model.tokenize('a', false);
    // The first evaluation prepares memory.
    await sequence.evaluateWithoutGeneratingNewTokens([token]);
    const started = now();
    for (let count = 0; count < SAMPLE_TOKENS && now() - started <= mostMs; count += 1)
      await sequence.evaluateWithoutGeneratingNewTokens([token]);
    return now() - started;
  } finally {
    await context.dispose();
  }
}
