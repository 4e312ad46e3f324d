import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultOutput,
} from '@ai-sdk/provider';
import type {
  ChatCompletionAssistantMessageParam,
  ChatCompletionContentPart,
  ChatCompletionFunctionTool,
  ChatCompletionMessageParam,
} from 'openai/resources/chat/completions';
import { FIELDS } from '../reasoning-details.ts';

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

export interface ChatContent {
  messages: ChatCompletionMessageParam[];
  tools?: ChatCompletionFunctionTool[];
}

/** Converts a prompt to the content of a request of the Chat Completions API. */
export function toChatContent({ prompt, tools }: LanguageModelV4CallOptions): ChatContent {
  return {
    messages: toMessages(prompt),
    ...(tools === undefined ? {} : { tools: tools.flatMap(toTool) }),
  };
}

function toMessages(prompt: LanguageModelV4Prompt): ChatCompletionMessageParam[] {
  return prompt.flatMap((message): ChatCompletionMessageParam[] => {
    if (message.role === 'system')
      return [{ role: 'system', content: message.content, ...message.providerOptions?.[FIELDS] }];
    if (message.role === 'assistant') return [toAssistant(message)];
    if (message.role === 'tool') {
      return message.content.flatMap((part): ChatCompletionMessageParam[] =>
        part.type === 'tool-result'
          ? [{ role: 'tool', tool_call_id: part.toolCallId, content: toText(part.output), ...fieldsOf(part) }]
          : [],
      );
    }
    const [only, ...more] = message.content;
    // Some servers accept only a text.
    if (only?.type === 'text' && more.length === 0)
      return [{ role: 'user', content: only.text, ...fieldsOf(only) }];
    return [{ role: 'user', content: message.content.map(toPart) }];
  });
}

/** `reasoning_content` is an extension of servers whose models need their reasoning back. */
function toAssistant({
  content,
  providerOptions,
}: AssistantMessage): ChatCompletionAssistantMessageParam & { reasoning_content?: string } {
  const textOf = (type: 'text' | 'reasoning') =>
    content.map((part) => (part.type === type ? part.text : '')).join('');
  const text = textOf('text');
  const reasoning = textOf('reasoning');
  const calls = content.flatMap((part) =>
    part.type === 'tool-call'
      ? [
          {
            id: part.toolCallId,
            type: 'function' as const,
            function: { name: part.toolName, arguments: JSON.stringify(part.input) },
          },
        ]
      : [],
  );
  return {
    role: 'assistant',
    content: calls.length > 0 && text === '' ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
    ...providerOptions?.[FIELDS],
  };
}

function toText(output: LanguageModelV4ToolResultOutput): string {
  const value = 'value' in output ? output.value : output.reason;
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

type UserPart = Extract<LanguageModelV4Message, { role: 'user' }>['content'][number];

function toPart(part: UserPart): ChatCompletionContentPart {
  const content = part.type === 'text' ? ({ type: 'text', text: part.text } as const) : toMedia(part);
  return { ...content, ...fieldsOf(part) };
}

/** Fields that some servers read besides those of OpenAI. */
function fieldsOf({ providerOptions }: Pick<UserPart, 'providerOptions'>): object {
  return providerOptions?.[FIELDS] ?? {};
}

function toMedia({ mediaType, data, filename }: LanguageModelV4FilePart): ChatCompletionContentPart {
  const url = `data:${mediaType};base64,${data.type === 'data' ? data.data : ''}`;
  if (mediaType !== 'application/pdf') return { type: 'image_url', image_url: { url } };
  return { type: 'file', file: { filename: filename ?? 'document.pdf', file_data: url } };
}

function toTool(
  tool: NonNullable<LanguageModelV4CallOptions['tools']>[number],
): ChatCompletionFunctionTool[] {
  if (tool.type !== 'function') return [];
  const { name, description, inputSchema } = tool;
  return [
    {
      type: 'function',
      function: {
        name,
        ...(description === undefined ? {} : { description }),
        parameters: { ...inputSchema },
      },
    },
  ];
}
