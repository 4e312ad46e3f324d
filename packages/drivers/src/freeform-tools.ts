import type { LanguageModelV4CallOptions, LanguageModelV4Prompt } from '@ai-sdk/provider';
import type { StepEvent, ToolSchema } from '@longhaul/core';
import { isObject, parseJson } from '@longhaul/protocol';
import type { ProviderKind } from './wire-profile.ts';

type WireTool = NonNullable<LanguageModelV4CallOptions['tools']>[number];

/** Tools whose only argument the provider sends as plain text, with the name of that argument. */
export type FreeformTools = ReadonlyMap<string, string>;

/** Returns the tools that are sent as freeform tools: those that can be, to OpenAI itself. */
export function freeformTools(
  tools: readonly ToolSchema[],
  { kind, baseUrl }: { kind: ProviderKind; baseUrl?: string | undefined },
): FreeformTools {
  if (kind !== 'openai' || !/^https:\/\/api\.openai\.com(?:\/|$)/.test(baseUrl ?? 'https://api.openai.com'))
    return new Map();
  return new Map(
    tools.flatMap(({ name, freeform }) =>
      freeform === undefined ? [] : [[name, freeform.parameter] as const],
    ),
  );
}

/** Converts a tool to the form of a request. */
export function toWireTool(tool: ToolSchema, freeform: FreeformTools): WireTool {
  const { name, description, parameters } = tool;
  if (tool.freeform === undefined || !freeform.has(name))
    return { type: 'function', name, description, inputSchema: parameters };
  const { syntax, definition } = tool.freeform;
  return {
    type: 'provider',
    id: 'openai.custom',
    name,
    args: { description, format: { type: 'grammar', syntax, definition } },
  };
}

/** Writes earlier calls of freeform tools as the plain text that their model wrote. */
export function withFreeformCalls(
  prompt: LanguageModelV4Prompt,
  freeform: FreeformTools,
): LanguageModelV4Prompt {
  if (freeform.size === 0) return prompt;
  return prompt.map((message) => {
    if (message.role !== 'assistant') return message;
    return {
      ...message,
      content: message.content.map((part) =>
        part.type === 'tool-call' && freeform.has(part.toolName)
          ? { ...part, input: plainText(part.input, freeform.get(part.toolName) ?? '') }
          : part,
      ),
    };
  });
}

function plainText(input: unknown, parameter: string): string {
  const text = isObject(input) ? input[parameter] : undefined;
  return typeof text === 'string' ? text : JSON.stringify(input ?? '');
}

/** Reads the plain text of a freeform call as its argument. */
export async function* readFreeformCalls(
  stream: AsyncIterable<StepEvent>,
  freeform: FreeformTools,
): AsyncGenerator<StepEvent, void> {
  for await (const event of stream)
    yield event.type === 'tool-call-invalid' ? toCall(event, freeform) : event;
}

function toCall(
  event: Extract<StepEvent, { type: 'tool-call-invalid' }>,
  freeform: FreeformTools,
): StepEvent {
  const { callId, name, inputText } = event;
  const parameter = freeform.get(name);
  const text = parameter === undefined ? undefined : textIn(inputText);
  if (parameter === undefined || text === undefined) return event;
  return { type: 'tool-call', callId, name, input: { [parameter]: text } };
}

/** Clients write the text as a JSON string. */
function textIn(json: string): string | undefined {
  const value = parseJson(json);
  return typeof value === 'string' ? value : undefined;
}
