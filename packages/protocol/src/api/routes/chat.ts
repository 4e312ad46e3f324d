import { chatBody, chatChunkSchema, chatMessagesQuery, chatMessagesSchema, chatParams } from '../chat.ts';
import type { ApiRoute } from '../route.ts';
import { EVENT_STREAM } from './shared.ts';

export const chatRoutes = {
  chat: {
    method: 'POST',
    path: '/api/chat',
    tag: 'chat',
    summary: 'For useChat of the AI SDK: send the newest message and stream the answer as a UI message',
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
    summary: 'Messages of a chat, as initial UI messages of a page',
    description:
      'Includes the stored part of an answer in progress. The stream of that answer starts from its beginning and replaces the message. Empty for a chat without a first message.',
    params: chatParams,
    query: chatMessagesQuery,
    status: 200,
    response: chatMessagesSchema,
  },
  chatStream: {
    method: 'GET',
    path: '/api/chat/{chatId}/stream',
    tag: 'chat',
    summary: 'Stream the answer in progress from its beginning; 204 if there is none',
    params: chatParams,
    status: 200,
    produces: EVENT_STREAM,
    response: chatChunkSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
