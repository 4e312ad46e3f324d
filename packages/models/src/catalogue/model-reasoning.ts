import type { ReasoningEffort } from '../call-settings.ts';
import type { CatalogueEntry } from './catalogue-entry.ts';
import { listedOf, longestMatch } from './find-model.ts';

export type ModelReasoning = Pick<CatalogueEntry, 'reasoning' | 'efforts'>;

/** Returns what is known about the reasoning of a model: its efforts for models of OpenAI and Google. */
export function modelReasoning(provider: string, model: string): ModelReasoning {
  const unlisted = provider === 'openai' ? longestMatch(UNLISTED, model) : undefined;
  return unlisted ?? longestMatch(listedOf(provider), model) ?? {};
}

const CODEX: readonly ReasoningEffort[] = ['low', 'medium', 'high'];

/**
 * Models of OpenAI that the public list leaves out. Their efforts are those on developers.openai.com/api/docs/models
 * and in the refusals of the API.
 */
const UNLISTED: readonly (ModelReasoning & { model: string })[] = [
  { model: 'codex-mini', efforts: CODEX },
  { model: 'gpt-5-codex', efforts: CODEX },
  { model: 'gpt-5.1-codex', efforts: CODEX },
  { model: 'gpt-5.1-codex-mini', efforts: CODEX },
  { model: 'gpt-5.1-codex-max', efforts: ['none', ...CODEX, 'xhigh'] },
  { model: 'gpt-5.2-codex', efforts: [...CODEX, 'xhigh'] },
];
