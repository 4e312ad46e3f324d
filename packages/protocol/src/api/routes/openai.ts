import {
  agentModelParams,
  agentModelSchema,
  agentModelsSchema,
  chatCompletionBody,
  chatCompletionHeaders,
  chatCompletionSchema,
} from '../openai.ts';
import type { ApiRoute } from '../route.ts';

export const openaiRoutes = {
  listAgentModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'openai',
    summary: 'List agents as models of OpenAI’s API',
    status: 200,
    response: agentModelsSchema,
  },
  getAgentModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'openai',
    summary: 'Get one agent as a model',
    params: agentModelParams,
    status: 200,
    response: agentModelSchema,
    errors: ['model_not_found'],
  },
  chatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'openai',
    summary: 'Run a whole turn of an agent, tools included, as one chat completion',
    description:
      'With `stream: true`, returns server-sent events of `chat.completion.chunk`, then `[DONE]`. The messages before the newest ones identify the conversation.',
    headers: chatCompletionHeaders,
    body: chatCompletionBody,
    bodyLimit: 'upload',
    status: 200,
    response: chatCompletionSchema,
    errors: ['model_not_found', 'rate_limited', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
