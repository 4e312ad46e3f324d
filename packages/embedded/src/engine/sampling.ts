import type { EvaluateOptions, LlamaModel } from '../library/llama-types.ts';
import type { AnswerRequest } from './engine.ts';

/** Those of llama.cpp's server. */
const DEFAULTS = { temperature: 0.8, topK: 40, topP: 0.95, minP: 0.05 };

type Values = Pick<EvaluateOptions, 'temperature' | 'topK' | 'topP' | 'minP' | 'seed'>;

/** How the next token is drawn. */
export interface Sampling {
  of(request: AnswerRequest): Values;
}

/** A request's values take precedence over those in the file of the model, and these over the defaults. */
export function samplingOf({ fileInfo }: LlamaModel): Sampling {
  const own = numbersAt(fileInfo.metadata, ['general', 'sampling']);
  const model = {
    temperature: own['temp'] ?? DEFAULTS.temperature,
    topK: own['top_k'] ?? DEFAULTS.topK,
    topP: own['top_p'] ?? DEFAULTS.topP,
    minP: own['min_p'] ?? DEFAULTS.minP,
  };
  return {
    of: ({ temperature, topK, topP, minP, seed }) => ({
      temperature: temperature ?? model.temperature,
      topK: topK ?? model.topK,
      topP: topP ?? model.topP,
      minP: minP ?? model.minP,
      seed,
    }),
  };
}

function numbersAt(value: unknown, path: readonly string[]): Record<string, number> {
  let at = value;
  for (const key of path) {
    if (typeof at !== 'object' || at === null) return {};
    at = Reflect.get(at, key);
  }
  if (typeof at !== 'object' || at === null) return {};
  return Object.fromEntries(
    Object.entries(at).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}
