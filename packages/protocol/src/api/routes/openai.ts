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
    summary: 'The agents, as models of OpenAI’s API',
    status: 200,
    response: agentModelsSchema,
  },
  getAgentModel: {
    method: 'GET',
    path: '/v1/models/{model}',
    tag: 'openai',
    summary: 'One of them',
    params: agentModelParams,
    status: 200,
    response: agentModelSchema,
    errors: ['model_not_found'],
  },
  chatCompletion: {
    method: 'POST',
    path: '/v1/chat/completions',
    tag: 'openai',
    summary: 'A whole turn of an agent, with its tools, as one chat completion',
    description:
      'With `stream: true`, server-sent events of `chat.completion.chunk`, and `[DONE]`. The conversation is found again by the messages before the newest ones.',
    headers: chatCompletionHeaders,
    body: chatCompletionBody,
    bodyLimit: 'upload',
    status: 200,
    response: chatCompletionSchema,
    errors: ['model_not_found', 'rate_limited', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
