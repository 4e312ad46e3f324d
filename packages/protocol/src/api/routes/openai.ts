import { ADDRESSES } from '../addresses.ts';
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
    ...ADDRESSES.listAgentModels,
    tag: 'openai',
    summary: 'List the agents as models of the OpenAI API',
    status: 200,
    response: agentModelsSchema,
  },
  getAgentModel: {
    ...ADDRESSES.getAgentModel,
    tag: 'openai',
    summary: 'Get one agent as a model of the OpenAI API',
    params: agentModelParams,
    status: 200,
    response: agentModelSchema,
    errors: ['model_not_found'],
  },
  chatCompletion: {
    ...ADDRESSES.chatCompletion,
    tag: 'openai',
    summary: 'Run a whole turn of an agent, with its tools, as one chat completion',
    description:
      'With `stream: true`, the response is server-sent events of `chat.completion.chunk`, then `[DONE]`. The server finds the session of the conversation by the messages before the newest user messages.',
    headers: chatCompletionHeaders,
    body: chatCompletionBody,
    bodyLimit: 'upload',
    status: 200,
    response: chatCompletionSchema,
    errors: ['model_not_found', 'rate_limited', 'shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
