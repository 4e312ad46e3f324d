import { isRecord } from '../is-record.ts';
import type { LoadedModel, Persona, TooLong } from './persona.ts';

/** Ollama: drops the oldest messages without a notice. */
export const OLLAMA: Persona = {
  name: 'ollama',
  defaultModel: 'gpt-oss:20b',
  defaultManner: 'silent',
  answersToAnyName: false,
  countsAnswer: false,
  reports: (model) => ({
    'GET /api/version': () => ({ version: '0.13.5' }),
    'GET /api/ps': () => ({ models: model.isLoaded ? [running(model)] : [] }),
    'GET /api/tags': () => ({ models: [{ name: model.id, model: model.id }] }),
    'POST /api/show': (body) => show(model, body),
    'POST /api/generate': () => load(model),
  }),
  listing: ({ id }) => ({ id, object: 'model', created: 0, owned_by: 'library' }),
  refuse,
};

function running({ id, windowTokens }: LoadedModel): unknown {
  return { name: id, model: id, context_length: windowTokens, size_vram: 1 };
}

function show({ id, trainedTokens }: LoadedModel, body: unknown): unknown {
  if (isRecord(body) && body['model'] !== id) return { error: 'model not found' };
  return { model_info: { 'general.architecture': 'gptoss', 'gptoss.context_length': trainedTokens } };
}

/** Without a prompt, the request only loads the model. */
function load(model: LoadedModel): unknown {
  model.isLoaded = true;
  return { model: model.id, response: '', done: true, done_reason: 'load' };
}

/** Returned if the system messages and the last message do not fit. */
function refuse({ prompt, windowTokens }: TooLong): { status: number; body: unknown } {
  const message =
    prompt.promptTokens > 4 * windowTokens
      ? `input length (${prompt.promptTokens} tokens) exceeds the model's maximum context length (${windowTokens} tokens)`
      : 'prompt is longer than the context length currently available';
  return {
    status: 400,
    body: { error: { message, type: 'invalid_request_error', param: null, code: null } },
  };
}
