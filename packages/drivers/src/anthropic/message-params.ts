import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type {
  BetaCacheControlEphemeral,
  BetaCompactionBlockParam,
  BetaContentBlockParam,
  BetaImageBlockParam,
  BetaMessageParam,
  BetaRequestDocumentBlock,
  BetaTextBlockParam,
  BetaTool,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';

type Blocks = BetaContentBlockParam[];
type Message = BetaMessageParam;
type ContentParts = Extract<LanguageModelV4Message, { role: 'assistant' | 'user' }>['content'];
type FileContent = Pick<LanguageModelV4FilePart, 'mediaType' | 'data' | 'filename'>;
type Media = BetaImageBlockParam | BetaRequestDocumentBlock;
type ToolMessage = Extract<LanguageModelV4Message, { role: 'tool' }>;

export interface MessageParams {
  system?: BetaTextBlockParam[];
  messages: Message[];
  tools?: BetaTool[];
}

/** Converts a prompt to the content of a request of the Messages API. Adjacent messages of one role are joined. */
export function toMessageParams({ prompt, tools }: LanguageModelV4CallOptions): MessageParams {
  const [first] = prompt;
  const system = first?.role === 'system' ? first : undefined;
  return {
    ...(system === undefined
      ? {}
      : { system: [{ type: 'text', text: system.content, ...cacheControlOf(system) }] }),
    messages: toMessages(prompt),
    ...(tools === undefined ? {} : { tools: tools.flatMap(toTool) }),
  };
}

function toMessages(prompt: LanguageModelV4Prompt): Message[] {
  const messages: { role: 'user' | 'assistant'; content: Blocks }[] = [];
  const compaction = compactionIn(prompt);
  // The API accepts the block only at the beginning, in place of what it summarises.
  if (compaction !== undefined) messages.push({ role: 'assistant', content: [compaction] });
  for (const [index, message] of prompt.entries()) {
    if (message.role === 'system') continue;
    const role = message.role === 'assistant' ? 'assistant' : 'user';
    const isLast = index === prompt.length - 1;
    const blocks = message.role === 'tool' ? toResults(message) : toBlocks(message.content, isLast);
    const end = blocks.at(-1);
    if (end === undefined) continue;
    Object.assign(end, cacheControlOf(message));
    const before = messages.at(-1);
    if (before?.role === role) before.content.push(...blocks);
    else messages.push({ role, content: blocks });
  }
  return messages;
}

/** Returns the block that stands for the beginning of the conversation. */
export function compactionIn(prompt: LanguageModelV4Prompt): BetaCompactionBlockParam | undefined {
  for (const { role, content } of prompt) {
    if (role !== 'assistant') continue;
    for (const part of content) {
      const items = part.type === 'custom' ? part.providerOptions?.['longhaul']?.['items'] : undefined;
      const block = Array.isArray(items) ? items.find(isCompactionBlock) : undefined;
      if (block !== undefined) return block;
    }
  }
  return undefined;
}

function isCompactionBlock(item: unknown): item is BetaCompactionBlockParam {
  return typeof item === 'object' && item !== null && Reflect.get(item, 'type') === 'compaction';
}

function toBlocks(content: ContentParts, isLast: boolean): Blocks {
  const blocks: Blocks = [];
  for (const [index, part] of content.entries()) {
    if (part.type === 'text') {
      // The API refuses a request whose last message, of the assistant, ends with white space.
      const isEnd = isLast && index === content.length - 1;
      blocks.push({ type: 'text', text: isEnd ? part.text.trimEnd() : part.text });
    } else if (part.type === 'file') blocks.push(toMedia(part));
    else if (part.type === 'reasoning') blocks.push(...toThinking(part.text, part.providerOptions));
    else if (part.type === 'tool-call')
      blocks.push({ type: 'tool_use', id: part.toolCallId, name: part.toolName, input: part.input });
  }
  return blocks;
}

/** Only reasoning with a signature is accepted. */
function toThinking(
  thinking: string,
  options: Extract<ContentParts[number], object>['providerOptions'],
): Blocks {
  const { signature, redactedData } = options?.['anthropic'] ?? {};
  if (typeof signature === 'string') return [{ type: 'thinking', thinking, signature }];
  if (typeof redactedData === 'string') return [{ type: 'redacted_thinking', data: redactedData }];
  return [];
}

function toResults({ content }: ToolMessage): Blocks {
  return content.flatMap((part) => (part.type === 'tool-result' ? [toResult(part)] : []));
}

function toResult({ toolCallId, output }: LanguageModelV4ToolResultPart): Blocks[number] {
  const result = { type: 'tool_result' as const, tool_use_id: toolCallId };
  if (output.type === 'content') {
    const content = output.value.flatMap((part): (BetaTextBlockParam | Media)[] => {
      if (part.type === 'text') return [{ type: 'text', text: part.text }];
      return part.type === 'file' ? [toMedia(part)] : [];
    });
    return { ...result, content };
  }
  const isError = output.type.startsWith('error');
  const text = 'value' in output ? output.value : output.reason;
  return {
    ...result,
    content: typeof text === 'string' ? text : JSON.stringify(text ?? ''),
    ...(isError ? { is_error: true } : {}),
  };
}

/** The types that the wire profile lets through. */
const IMAGE_TYPES = ['image/png', 'image/jpeg', 'image/gif', 'image/webp'] as const;

function toMedia({ mediaType, data: content, filename }: FileContent): Media {
  const data = content.type === 'data' && typeof content.data === 'string' ? content.data : '';
  if (mediaType === 'application/pdf') {
    const source = { type: 'base64', media_type: mediaType, data } as const;
    return { type: 'document', source, ...(filename === undefined ? {} : { title: filename }) };
  }
  const media_type = IMAGE_TYPES.find((type) => type === mediaType) ?? 'image/png';
  return { type: 'image', source: { type: 'base64', media_type, data } };
}

function toTool(tool: NonNullable<LanguageModelV4CallOptions['tools']>[number]): BetaTool[] {
  if (tool.type !== 'function') return [];
  const { name, description, inputSchema } = tool;
  return [
    {
      name,
      ...(description === undefined ? {} : { description }),
      input_schema: { ...inputSchema, type: 'object' },
      // Without it, the server sends an argument only when it is complete, which looks like silence.
      eager_input_streaming: true,
    },
  ];
}

function cacheControlOf({ providerOptions }: LanguageModelV4Message): {
  cache_control?: BetaCacheControlEphemeral;
} {
  return providerOptions?.['anthropic']?.['cacheControl'] === undefined
    ? {}
    : { cache_control: { type: 'ephemeral' } };
}
