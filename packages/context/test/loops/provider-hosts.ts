import type Anthropic from '@anthropic-ai/sdk';
import {
  AIMessage,
  type BaseMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages';
import type OpenAI from 'openai';
import { anthropicFormat, responsesFormat } from '../../src/index.ts';
import { langChainFormat } from '../../src/session/langchain-format.ts';
import { type Host, LINK, PIXELS } from './hosts.ts';

const DATA_URL = `data:image/png;base64,${PIXELS}`;

/** Each item of an answer is one message: reasoning, the text, and every call. */
export const responsesHost: Host<OpenAI.Responses.ResponseInputItem> = {
  format: responsesFormat<OpenAI.Responses.ResponseInputItem>(),
  system: (content) => ({ type: 'message', role: 'developer', content }),
  user: (text, images) => ({
    type: 'message',
    role: 'user',
    content: [
      { type: 'input_text', text },
      ...images.map(({ detail, isLink }) => ({
        type: 'input_image' as const,
        image_url: isLink ? LINK : DATA_URL,
        detail,
      })),
    ],
  }),
  answer: ({ text, reasoning, calls }) => [
    ...(reasoning === ''
      ? []
      : [
          {
            type: 'reasoning' as const,
            id: 'rs_1',
            summary: [{ type: 'summary_text' as const, text: reasoning }],
          },
        ]),
    { type: 'message', role: 'assistant', content: text },
    ...calls.map(({ id, path }) => ({
      type: 'function_call' as const,
      call_id: id,
      name: 'read',
      arguments: JSON.stringify({ path }),
    })),
  ],
  results: (results) =>
    results.map(({ id, text }) => ({ type: 'function_call_output' as const, call_id: id, output: text })),
  complaint(items) {
    const alone = items.findIndex(
      (item, index) => item.type === 'reasoning' && !isOfAnswer(items[index + 1]),
    );
    return alone === -1 ? undefined : `reasoning at ${alone} is without the item after it`;
  },
};

function isOfAnswer(item: OpenAI.Responses.ResponseInputItem | undefined): boolean {
  return (
    item?.type === 'function_call' || (item !== undefined && 'role' in item && item.role === 'assistant')
  );
}

/** Returns the ids of the results at the beginning of a message. */
function leadingIds(message: Anthropic.MessageParam | undefined): string[] {
  if (message === undefined || typeof message.content === 'string') return [];
  const other = message.content.findIndex(({ type }) => type !== 'tool_result');
  const leading = other === -1 ? message.content : message.content.slice(0, other);
  return leading.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function callIds({ content }: Anthropic.MessageParam): string[] {
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
}

/** The last result of an answer has a text of the user beside it, as programs send it that steer the model. */
export const anthropicHost: Host<Anthropic.MessageParam> = {
  format: anthropicFormat<Anthropic.MessageParam>(),
  system: (text) => ({ role: 'user', content: [{ type: 'text', text: `<system-reminder>${text}` }] }),
  user: (text, images) => ({
    role: 'user',
    content: [
      { type: 'text', text },
      ...images.map(({ isLink }) => ({
        type: 'image' as const,
        source: isLink
          ? { type: 'url' as const, url: LINK }
          : { type: 'base64' as const, media_type: 'image/png' as const, data: PIXELS },
      })),
    ],
  }),
  answer: ({ text, reasoning, calls }) => [
    {
      role: 'assistant',
      content: [
        ...(reasoning === ''
          ? []
          : [{ type: 'thinking' as const, thinking: reasoning, signature: 'c2lnbmVk' }]),
        { type: 'text', text },
        ...calls.map(({ id, path }) => ({ type: 'tool_use' as const, id, name: 'read', input: { path } })),
      ],
    },
  ],
  results: (results) =>
    results.length === 0
      ? []
      : [
          {
            role: 'user',
            content: [
              ...results.map(({ id, text }) => ({
                type: 'tool_result' as const,
                tool_use_id: id,
                content: text,
              })),
              { type: 'text', text: 'Go on with the next part.' },
            ],
          },
        ],
  complaint(messages) {
    for (const [index, message] of messages.entries()) {
      if (message.role !== (index % 2 === 0 ? 'user' : 'assistant')) return `${index} has the wrong role`;
      const answered = new Set(leadingIds(messages[index + 1]));
      const open = callIds(message).filter((id) => !answered.has(id));
      if (open.length > 0) return `calls of ${index} have no results in the next message`;
    }
    return undefined;
  },
};

export const langChainHost: Host<BaseMessage> = {
  format: langChainFormat<BaseMessage>({ HumanMessage, AIMessage, ToolMessage }),
  system: (text) => new SystemMessage(text),
  user: (text, images) =>
    new HumanMessage({
      content: [
        { type: 'text', text },
        ...images.map(({ detail, isLink }) => ({
          type: 'image_url' as const,
          image_url: { url: isLink ? LINK : DATA_URL, detail },
        })),
      ],
    }),
  answer: ({ text, reasoning, calls }) => [
    new AIMessage({
      content: text,
      tool_calls: calls.map(({ id, path }) => ({ id, name: 'read', args: { path } })),
      additional_kwargs: { reasoning_content: reasoning },
    }),
  ],
  results: (results) => results.map(({ id, text }) => new ToolMessage({ content: text, tool_call_id: id })),
};
