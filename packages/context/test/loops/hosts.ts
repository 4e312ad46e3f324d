import type { ModelMessage } from 'ai';
import type OpenAI from 'openai';
import {
  aiSdkFormat,
  callPart,
  type MessageFormat,
  mediaPart,
  opaquePart,
  openAiChatFormat,
  textPart,
} from '../../src/index.ts';

/** An image in a user's message: only a link, or a PNG of 64 × 64 pixels. */
export interface HostImage {
  detail: 'low' | 'high';
  isLink: boolean;
}

export interface HostCall {
  id: string;
  path: string;
}

export interface HostAnswer {
  text: string;
  reasoning: string;
  calls: readonly HostCall[];
}

/** Writes the messages of one agent loop, in its own format. */
export interface Host<M> {
  format: MessageFormat<M>;
  system(text: string): M;
  user(text: string, images: readonly HostImage[]): M;
  /** Some formats divide an answer into several messages. */
  answer(answer: HostAnswer): M[];
  /** Some formats have all results of an answer in one message. */
  results(results: readonly { id: string; text: string }[]): M[];
  /** Returns why a server would refuse a request, whatever its size. */
  complaint?(messages: readonly M[]): string | undefined;
}

export const LINK = 'https://images.example/a.png';
export const PIXELS = `${Buffer.from('\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x40\0\0\0\x40\x08\x06\0\0\0', 'latin1').toString('base64')}`;

export const openAiHost: Host<OpenAI.ChatCompletionMessageParam> = {
  format: openAiChatFormat<OpenAI.ChatCompletionMessageParam>(),
  system: (content) => ({ role: 'system', content }),
  user: (text, images) =>
    images.length === 0
      ? { role: 'user', content: text }
      : {
          role: 'user',
          content: [
            { type: 'text', text },
            ...images.map(({ detail, isLink }) => ({
              type: 'image_url' as const,
              image_url: { url: isLink ? LINK : `data:image/png;base64,${PIXELS}`, detail },
            })),
          ],
        },
  answer({ text, reasoning, calls }) {
    const message = { role: 'assistant' as const, content: text === '' ? null : text };
    const toolCalls = calls.map(({ id, path }) => {
      const called = { name: 'read', arguments: JSON.stringify({ path }) };
      return { id, type: 'function' as const, function: called };
    });
    return [
      {
        ...message,
        ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
        ...(calls.length === 0 ? {} : { tool_calls: toolCalls }),
      },
    ];
  },
  results: (results) =>
    results.map(({ id, text }) => ({ role: 'tool' as const, tool_call_id: id, content: text })),
};

export const aiSdkHost: Host<ModelMessage> = {
  format: aiSdkFormat<ModelMessage>(),
  system: (content) => ({ role: 'system', content }),
  user: (text, images) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      ...images.map(({ detail, isLink }) => ({
        type: 'file' as const,
        mediaType: 'image/png',
        data: isLink ? new URL(LINK) : new Uint8Array(Buffer.from(PIXELS, 'base64')),
        providerOptions: { openai: { imageDetail: detail } },
      })),
    ],
  }),
  answer: ({ text, reasoning, calls }) => [
    {
      role: 'assistant',
      content: [
        ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
        { type: 'text' as const, text },
        ...calls.map(({ id, path }) => ({
          type: 'tool-call' as const,
          toolCallId: id,
          toolName: 'read',
          input: { path },
        })),
      ],
    },
  ],
  results: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'tool',
            content: results.map(({ id, text }) => ({
              type: 'tool-result' as const,
              toolCallId: id,
              toolName: 'read',
              output: { type: 'text' as const, value: text },
            })),
          },
        ],
};

/** Messages of a program's own, with calls beside a content that can be an empty text. */
export interface ChainMessage {
  type: 'system' | 'human' | 'ai' | 'tool';
  content: string;
  images?: readonly HostImage[];
  tool_calls?: readonly { id: string; name: string; args: Record<string, unknown> }[];
  tool_call_id?: string;
  additional_kwargs?: { reasoning_content?: string };
}

export const chainFormat: MessageFormat<ChainMessage> = {
  read(message) {
    const { type, content } = message;
    if (type === 'system') return { role: 'system', text: content };
    if (type === 'tool') {
      const callId = message.tool_call_id ?? '';
      return {
        role: 'tool',
        results: [{ callId, output: [{ type: 'text', text: content }], isError: false }],
      };
    }
    const media = (message.images ?? []).map(({ detail }) => mediaPart({ mediaType: 'image/*', detail }));
    if (type === 'human') return { role: 'user', parts: [textPart(content), ...media] };
    const calls = (message.tool_calls ?? []).map(({ id, name, args }) =>
      callPart({ callId: id, name }, { ...(args as { path: string }) }),
    );
    const reasoning = message.additional_kwargs?.reasoning_content ?? '';
    return { role: 'assistant', parts: [textPart(content), ...calls, opaquePart(reasoning)] };
  },
  rewrite(message, changes) {
    const text = changes.get(0);
    const calls = message.tool_calls?.map((call, index) => {
      const change = changes.get(index + 1);
      return change !== undefined && 'input' in change
        ? { ...call, args: change.input as { path: string } }
        : call;
    });
    return {
      ...message,
      ...(text !== undefined && 'text' in text ? { content: text.text } : {}),
      ...(calls === undefined ? {} : { tool_calls: calls }),
    };
  },
  userMessage: (content) => ({ type: 'human', content }),
  assistantMessage: (content) => ({ type: 'ai', content }),
  toolMessage: ({ callId }, content) => ({ type: 'tool', tool_call_id: callId, content }),
};
