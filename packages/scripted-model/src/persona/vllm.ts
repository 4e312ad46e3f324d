import type { Persona, TooLong } from './persona.ts';

/** vLLM: reports its limit in `/v1/models`, and refuses longer prompts. */
export const VLLM: Persona = {
  name: 'vllm',
  defaultModel: 'openai/gpt-oss-20b',
  defaultManner: 'error',
  answersToAnyName: false,
  countsAnswer: true,
  reports: () => ({ 'GET /version': () => ({ version: '0.15.0' }), 'GET /health': () => ({}) }),
  listing: ({ id, windowTokens }) => ({
    id,
    object: 'model',
    created: 0,
    owned_by: 'vllm',
    root: id,
    max_model_len: windowTokens,
  }),
  refuse,
};

function refuse({ prompt, windowTokens }: TooLong): { status: number; body: unknown } {
  const message = `This model's maximum context length is ${windowTokens} tokens. However, your request has ${prompt.promptTokens} input tokens. Please reduce the length of the input messages.`;
  return {
    status: 400,
    body: { error: { message, type: 'BadRequestError', param: 'input_tokens', code: 400 } },
  };
}
