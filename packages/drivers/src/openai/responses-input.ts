import type {
  LanguageModelV4CallOptions,
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4ToolResultOutput,
  LanguageModelV4ToolResultPart,
} from '@ai-sdk/provider';
import type {
  CustomTool,
  FunctionTool,
  ResponseFunctionCallOutputItemList,
  ResponseInputContent,
  ResponseInputItem,
  ResponseReasoningItem,
} from 'openai/resources/responses/responses';

type AssistantMessage = Extract<LanguageModelV4Message, { role: 'assistant' }>;

export interface ResponsesContent {
  instructions?: string;
  input: ResponseInputItem[];
  tools?: (FunctionTool | CustomTool)[];
}

/** Converts a prompt to the content of a request of the Responses API. Nothing refers to stored items. */
export function toResponsesContent({ prompt, tools }: LanguageModelV4CallOptions): ResponsesContent {
  const [first] = prompt;
  return {
    ...(first?.role === 'system' ? { instructions: first.content } : {}),
    input: toInput(prompt, new Set(tools?.flatMap((tool) => (tool.type === 'provider' ? [tool.name] : [])))),
    ...(tools === undefined ? {} : { tools: tools.flatMap(toTool) }),
  };
}

/** @param custom Names of the tools whose calls are plain text. */
function toInput(prompt: LanguageModelV4Prompt, custom: ReadonlySet<string>): ResponseInputItem[] {
  return prompt.flatMap((message): ResponseInputItem[] => {
    if (message.role === 'system') return [];
    if (message.role === 'user')
      return [
        {
          role: 'user',
          content: message.content.map((part) =>
            part.type === 'text' ? { type: 'input_text', text: part.text } : toMedia(part),
          ),
        },
      ];
    if (message.role === 'assistant') return toItems(message, custom);
    return message.content.flatMap((part): ResponseInputItem[] =>
      part.type === 'tool-result' ? [toResult(part, custom)] : [],
    );
  });
}

function toItems({ content }: AssistantMessage, custom: ReadonlySet<string>): ResponseInputItem[] {
  const items: ResponseInputItem[] = [];
  /** An item's summary can be several parts. */
  const thoughts = new Map<string, ResponseReasoningItem>();
  for (const part of content) {
    if (part.type === 'text') items.push({ role: 'assistant', content: part.text });
    else if (part.type === 'tool-call' && custom.has(part.toolName)) {
      const { toolCallId, toolName, input } = part;
      items.push({ type: 'custom_tool_call', call_id: toolCallId, name: toolName, input: textOf(input) });
    } else if (part.type === 'tool-call') {
      items.push({
        type: 'function_call',
        call_id: part.toolCallId,
        name: part.toolName,
        arguments: JSON.stringify(part.input),
      });
    } else if (part.type === 'custom')
      items.push(...compactedItems(part.providerOptions?.['longhaul']?.['items']));
    else if (part.type === 'reasoning') {
      const added = addThought(thoughts, part);
      if (added !== undefined) items.push(added);
    }
  }
  // The server knows no item by its id, because it stores nothing.
  return items.filter((item) => item.type !== 'reasoning' || typeof item.encrypted_content === 'string');
}

function toResult(part: LanguageModelV4ToolResultPart, custom: ReadonlySet<string>): ResponseInputItem {
  const output = toOutput(part.output);
  if (!custom.has(part.toolName)) return { type: 'function_call_output', call_id: part.toolCallId, output };
  // The results of these tools are texts.
  const texts =
    typeof output === 'string' ? [output] : output.map((each) => ('text' in each ? each.text : ''));
  return { type: 'custom_tool_call_output', call_id: part.toolCallId, output: texts.join('\n') };
}

function textOf(input: unknown): string {
  return typeof input === 'string' ? input : JSON.stringify(input);
}

/** The items of a compaction are sent back as they came. */
function compactedItems(items: unknown): ResponseInputItem[] {
  return Array.isArray(items) ? items : [];
}

function addThought(
  thoughts: Map<string, ResponseReasoningItem>,
  { text, providerOptions }: LanguageModelV4ReasoningPart,
): ResponseReasoningItem | undefined {
  const { itemId, reasoningEncryptedContent } = providerOptions?.['openai'] ?? {};
  if (typeof itemId !== 'string') return undefined;
  const before = thoughts.get(itemId);
  const thought = before ?? { type: 'reasoning' as const, id: itemId, summary: [] };
  thoughts.set(itemId, thought);
  if (text !== '') thought.summary.push({ type: 'summary_text', text });
  if (typeof reasoningEncryptedContent === 'string') thought.encrypted_content = reasoningEncryptedContent;
  return before === undefined ? thought : undefined;
}

function toOutput(output: LanguageModelV4ToolResultOutput): string | ResponseFunctionCallOutputItemList {
  if (output.type === 'content') {
    return output.value.flatMap((part): ResponseFunctionCallOutputItemList => {
      if (part.type === 'text') return [{ type: 'input_text', text: part.text }];
      return part.type === 'file' ? [toMedia(part)] : [];
    });
  }
  const value = 'value' in output ? output.value : output.reason;
  return typeof value === 'string' ? value : JSON.stringify(value ?? '');
}

function toMedia({
  mediaType,
  data,
  filename,
}: Pick<LanguageModelV4FilePart, 'mediaType' | 'data' | 'filename'>): Exclude<
  ResponseInputContent,
  { type: 'input_text' }
> {
  const url = `data:${mediaType};base64,${data.type === 'data' ? data.data : ''}`;
  if (mediaType === 'application/pdf')
    return { type: 'input_file', filename: filename ?? 'document.pdf', file_data: url };
  return { type: 'input_image', image_url: url, detail: 'auto' };
}

function toTool(
  tool: NonNullable<LanguageModelV4CallOptions['tools']>[number],
): (FunctionTool | CustomTool)[] {
  if (tool.type === 'provider') return [{ type: 'custom', name: tool.name, ...tool.args }];
  const { name, description, inputSchema } = tool;
  // With `strict`, the API refuses schemas with optional properties.
  return [
    {
      type: 'function',
      name,
      description: description ?? null,
      parameters: { ...inputSchema },
      strict: false,
    },
  ];
}
