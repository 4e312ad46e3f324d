import { chatBody, chatChunkSchema, chatMessagesQuery, chatMessagesSchema, chatParams } from '../chat.ts';
import type { ApiRoute } from '../route.ts';
import { EVENT_STREAM } from './shared.ts';

export const chatRoutes = {
  chat: {
    method: 'POST',
    path: '/api/chat',
    tag: 'chat',
    summary: 'For useChat of the AI SDK: sends the newest message, and streams the answer as a UI message',
    body: chatBody,
    bodyLimit: 'upload',
    status: 200,
    produces: EVENT_STREAM,
    response: chatChunkSchema,
    errors: ['queue_full', 'shutting_down', 'unknown_agent'],
  },
  chatMessages: {
    method: 'GET',
    path: '/api/chat/{chatId}',
    tag: 'chat',
    summary: 'What a chat holds, as UI messages to begin a page with',
    description:
      'Of an answer under way, what is stored so far: its stream, which begins anew, takes that message’s place. Empty for a chat whose first message has not come.',
    params: chatParams,
    query: chatMessagesQuery,
    status: 200,
    response: chatMessagesSchema,
  },
  chatStream: {
    method: 'GET',
    path: '/api/chat/{chatId}/stream',
    tag: 'chat',
    summary: 'The answer under way, from its beginning; 204 when there is none',
    params: chatParams,
    status: 200,
    produces: EVENT_STREAM,
    response: chatChunkSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
