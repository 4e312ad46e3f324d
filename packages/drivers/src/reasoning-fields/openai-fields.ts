import { hostedProviderAt, modelReasoning } from '@longhaul/models';
import { type FieldsOf, noBudget, type ReasoningAsk, refused, requireLevel } from './reasoning-ask.ts';

/**
 * The Responses API. A server at another address can have models of its own, so their efforts are not checked.
 *
 * https://developers.openai.com/api/docs/guides/reasoning
 */
export function openAiFields(ask: ReasoningAsk): FieldsOf {
  const { effort, model, baseUrl } = ask;
  if (effort === undefined) throw noBudget(ask, 'OpenAI has no budget of tokens.');
  if (baseUrl === '' || hostedProviderAt(baseUrl) === 'openai') {
    const { reasoning, efforts } = modelReasoning('openai', model);
    if (reasoning === false)
      throw refused(
        ask,
        'The model does not reason, so it has no effort. Remove the setting reasoning.effort.',
      );
    if (efforts !== undefined) requireLevel(ask, effort, efforts);
  }
  const fields = { reasoning: { effort } };
  return () => fields;
}
