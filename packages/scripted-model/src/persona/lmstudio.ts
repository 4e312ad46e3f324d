import type { LoadedModel, Persona, TooLong } from './persona.ts';

/** LM Studio 0.4. Its errors can be a bare string. In a stream they are an event after status 200. */
export const LM_STUDIO: Persona = {
  name: 'lmstudio',
  defaultModel: 'openai/gpt-oss-20b',
  defaultManner: 'event',
  answersToAnyName: false,
  countsAnswer: false,
  reports: (model) => ({
    'GET /api/v1/models': () => ({ models: [current(model)] }),
    'GET /api/v0/models': () => ({ object: 'list', data: [older(model)] }),
  }),
  listing: ({ id }) => ({ id, object: 'model', owned_by: 'organization_owner' }),
  refuse,
};

function current({ id, windowTokens, trainedTokens, isLoaded }: LoadedModel): unknown {
  return {
    type: 'llm',
    key: id,
    display_name: id,
    max_context_length: trainedTokens,
    loaded_instances: isLoaded ? [{ id, config: { context_length: windowTokens } }] : [],
  };
}

function older({ id, windowTokens, trainedTokens, isLoaded }: LoadedModel): unknown {
  return {
    id,
    object: 'model',
    type: 'llm',
    state: isLoaded ? 'loaded' : 'not-loaded',
    max_context_length: trainedTokens,
    ...(isLoaded ? { loaded_context_length: windowTokens } : {}),
  };
}

function refuse({ prompt, windowTokens }: TooLong): { status: number; body: unknown } {
  const text = `The number of tokens to keep from the initial prompt is greater than the context length (n_keep: ${prompt.promptTokens}>= n_ctx: ${windowTokens}). Try to load the model with a larger context length, or provide a shorter input.`;
  return { status: 400, body: { error: text } };
}
