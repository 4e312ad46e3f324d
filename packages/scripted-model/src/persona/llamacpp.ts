import type { Persona, TooLong } from './persona.ts';

/** llama-server: one model that answers to any name, and endpoints for counting tokens. */
export const LLAMA_CPP: Persona = {
  name: 'llamacpp',
  defaultModel: 'gpt-oss-20b.gguf',
  defaultManner: 'error',
  answersToAnyName: true,
  countsAnswer: false,
  reports: ({ windowTokens }) => ({
    'GET /props': () => ({
      default_generation_settings: { n_ctx: windowTokens },
      total_slots: 1,
      chat_template: '{{ messages }}',
    }),
    'GET /health': () => ({ status: 'ok' }),
  }),
  listing: ({ id, trainedTokens }) => ({
    id,
    object: 'model',
    owned_by: 'llamacpp',
    meta: { n_ctx_train: trainedTokens, n_params: 20_000_000_000 },
  }),
  refuse,
};

function refuse({ prompt, windowTokens }: TooLong): { status: number; body: unknown } {
  return {
    status: 400,
    body: {
      error: {
        code: 400,
        message: `request (${prompt.promptTokens} tokens) exceeds the available context size (${windowTokens} tokens), try increasing it`,
        type: 'exceed_context_size_error',
        n_prompt_tokens: prompt.promptTokens,
        n_ctx: windowTokens,
      },
    },
  };
}
