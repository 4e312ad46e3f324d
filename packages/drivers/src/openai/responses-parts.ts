import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type {
  Response,
  ResponseOutputItem,
  ResponseStreamEvent,
  ResponseUsage,
} from 'openai/resources/responses/responses';
import type { PartMaker } from '../native/part-stream.ts';

type Parts = readonly LanguageModelV4StreamPart[];
type Finished = Extract<ResponseStreamEvent, { type: 'response.completed' | 'response.incomplete' }>;

const NOTHING: Parts = [];

/**
 * Converts the events of the Responses API. Events and items of unknown types are ignored, among them those of tools
 * that the provider runs itself.
 */
export function createResponsesParts(): PartMaker<ResponseStreamEvent> {
  const thoughts = createThoughts();
  /** Calls by the id of their item. */
  const calls = new Map<string, string>();

  return {
    of(event) {
      switch (event.type) {
        case 'response.created':
          return [{ type: 'response-metadata', id: event.response.id, modelId: event.response.model }];
        case 'response.output_item.added':
          return startItem(event.item, calls, thoughts);
        case 'response.output_text.delta':
          return [{ type: 'text-delta', id: event.item_id, delta: event.delta }];
        case 'response.reasoning_summary_text.delta':
          return thoughts.delta(event.item_id, event.summary_index, event.delta);
        case 'response.reasoning_text.delta':
          return thoughts.delta(event.item_id, event.content_index, event.delta);
        case 'response.function_call_arguments.delta': {
          const callId = calls.get(event.item_id);
          return callId === undefined
            ? NOTHING
            : [{ type: 'tool-input-delta', id: callId, delta: event.delta }];
        }
        case 'response.output_item.done':
          return endItem(event.item, thoughts);
        case 'response.completed':
        case 'response.incomplete':
          return [finishPart(event)];
        case 'response.failed':
          return [{ type: 'error', error: event.response.error ?? event.response }];
        default:
          return NOTHING;
      }
    },
    end: () => NOTHING,
  };
}

function startItem(item: ResponseOutputItem, calls: Map<string, string>, thoughts: Thoughts): Parts {
  switch (item?.type) {
    case 'message':
      return [{ type: 'text-start', id: item.id }];
    case 'reasoning':
      return thoughts.start(item.id, 0);
    case 'custom_tool_call':
      return [{ type: 'tool-input-start', id: item.call_id, toolName: item.name }];
    case 'function_call':
      if (item.id !== undefined) calls.set(item.id, item.call_id);
      return [{ type: 'tool-input-start', id: item.call_id, toolName: item.name }];
    default:
      return NOTHING;
  }
}

function endItem(item: ResponseOutputItem, thoughts: Thoughts): Parts {
  switch (item?.type) {
    case 'message':
      return [{ type: 'text-end', id: item.id }];
    case 'reasoning':
      return thoughts.end(item.id, item.encrypted_content ?? undefined);
    case 'custom_tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: item.call_id,
          toolName: item.name,
          input: JSON.stringify(item.input),
        },
      ];
    case 'function_call':
      return [{ type: 'tool-call', toolCallId: item.call_id, toolName: item.name, input: item.arguments }];
    default:
      return NOTHING;
  }
}

interface Thoughts {
  start(itemId: string, index: number): Parts;
  delta(itemId: string, index: number, delta: string): Parts;
  end(itemId: string, encrypted: string | undefined): Parts;
}

/** Each part of a reasoning item's summary is a block. The encrypted reasoning is stored with the last one. */
function createThoughts(): Thoughts {
  const open = new Map<string, number>();
  const partId = (itemId: string, index: number) => `${itemId}:${index}`;
  const start = (itemId: string, index: number): Parts => {
    const before = open.get(itemId);
    open.set(itemId, index);
    const metadata = { providerMetadata: { openai: { itemId } } };
    return [
      ...(before === undefined ? [] : [endPart(partId(itemId, before), metadata)]),
      { type: 'reasoning-start', id: partId(itemId, index), ...metadata },
    ];
  };
  return {
    start,
    delta(itemId, index, delta) {
      const started = open.get(itemId) === index ? NOTHING : start(itemId, index);
      return [...started, { type: 'reasoning-delta', id: partId(itemId, index), delta }];
    },
    end(itemId, encrypted) {
      const index = open.get(itemId);
      if (index === undefined) return NOTHING;
      open.delete(itemId);
      const openai = { itemId, ...(encrypted === undefined ? {} : { reasoningEncryptedContent: encrypted }) };
      return [endPart(partId(itemId, index), { providerMetadata: { openai } })];
    },
  };
}

function endPart(
  id: string,
  metadata: { providerMetadata: Record<string, Record<string, string>> },
): LanguageModelV4StreamPart {
  return { type: 'reasoning-end', id, ...metadata };
}

function finishPart({ response }: Finished): LanguageModelV4StreamPart {
  return {
    type: 'finish',
    finishReason: toFinishReason(response),
    usage: toUsage(response.usage),
  };
}

function toFinishReason({ incomplete_details: incomplete }: Response): LanguageModelV4FinishReason {
  const raw = incomplete?.reason;
  if (raw === undefined) return { unified: 'stop', raw };
  if (raw === 'max_output_tokens') return { unified: 'length', raw };
  return { unified: raw === 'content_filter' ? 'content-filter' : 'other', raw };
}

function toUsage(usage: ResponseUsage | null | undefined): LanguageModelV4Usage {
  return {
    inputTokens: {
      total: usage?.input_tokens,
      noCache: undefined,
      cacheRead: usage?.input_tokens_details?.cached_tokens ?? undefined,
      cacheWrite: usage?.input_tokens_details?.cache_write_tokens ?? undefined,
    },
    outputTokens: {
      total: usage?.output_tokens,
      text: undefined,
      reasoning: usage?.output_tokens_details?.reasoning_tokens ?? undefined,
    },
  };
}
