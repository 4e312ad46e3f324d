import { ADDRESSES } from '../addresses.ts';
import { chatBody, chatChunkSchema, chatMessagesQuery, chatMessagesSchema, chatParams } from '../chat.ts';
import type { ApiRoute } from '../route.ts';
import { EVENT_STREAM } from './shared.ts';

export const chatRoutes = {
  chat: {
    ...ADDRESSES.chat,
    tag: 'chat',
    summary: 'Send the newest message of the AI SDK’s useChat and stream the answer as a UI message',
    body: chatBody,
    bodyLimit: 'upload',
    status: 200,
    produces: EVENT_STREAM,
    response: chatChunkSchema,
    errors: ['queue_full', 'input_unsupported', 'shutting_down', 'unknown_agent'],
  },
  chatMessages: {
    ...ADDRESSES.chatMessages,
    tag: 'chat',
    summary: 'List the messages of a chat as UI messages, to initialize a page',
    description:
      'An answer in progress is included as far as it is stored. Its stream starts from the beginning and replaces that message. The list is empty before the first message of the chat.',
    params: chatParams,
    query: chatMessagesQuery,
    status: 200,
    response: chatMessagesSchema,
  },
  chatStream: {
    ...ADDRESSES.chatStream,
    tag: 'chat',
    summary: 'Stream the answer in progress from its beginning; 204 if there is none',
    params: chatParams,
    status: 200,
    produces: EVENT_STREAM,
    response: chatChunkSchema,
    errors: ['shutting_down'],
  },
} as const satisfies Record<string, ApiRoute>;
