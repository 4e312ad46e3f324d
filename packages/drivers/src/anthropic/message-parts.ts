import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4Usage,
} from '@ai-sdk/provider';
import type {
  BetaMessageDeltaUsage,
  BetaRawMessageStreamEvent,
  BetaRefusalStopDetails,
  BetaUsage,
} from '@anthropic-ai/sdk/resources/beta/messages/messages';
import type { PartMaker } from '../native/part-stream.ts';

type Event = BetaRawMessageStreamEvent;
type Parts = readonly LanguageModelV4StreamPart[];
type OpenBlock =
  | { kind: 'text' | 'reasoning' }
  | { kind: 'call'; callId: string; name: string; input: string };

const NOTHING: Parts = [];

/**
 * Converts the events of the Messages API. Events, blocks and deltas of unknown types are ignored, among them those of
 * tools that the provider runs itself.
 */
export function createMessageParts(): PartMaker<Event> {
  const blocks = new Map<number, OpenBlock>();
  let usage: Partial<BetaUsage> = {};
  let stopReason: string | null | undefined;
  let stopDetails: BetaRefusalStopDetails | null | undefined;
  let isFinished = false;

  const finish = (): Parts => {
    if (isFinished || stopReason === undefined || stopReason === null) return NOTHING;
    isFinished = true;
    return [
      {
        type: 'finish',
        finishReason: toFinishReason(stopReason),
        usage: toUsage(usage),
        providerMetadata: toStopDetails(stopDetails),
      },
    ];
  };

  return {
    of(event) {
      switch (event.type) {
        case 'message_start':
          // Some proxies repeat the request inside one answer. What the first one left open is discarded.
          blocks.clear();
          usage = { ...event.message.usage };
          return [{ type: 'response-metadata', id: event.message.id, modelId: event.message.model }];
        case 'content_block_start':
          return startBlock(blocks, event);
        case 'content_block_delta':
          return continueBlock(blocks.get(event.index), event);
        case 'content_block_stop':
          return endBlock(blocks, event.index);
        case 'message_delta':
          usage = mergeUsage(usage, event.usage);
          stopReason = event.delta?.stop_reason ?? stopReason;
          stopDetails = event.delta?.stop_details ?? stopDetails;
          return NOTHING;
        case 'message_stop':
          return finish();
        default:
          return NOTHING;
      }
    },
    end: finish,
  };
}

function startBlock(
  blocks: Map<number, OpenBlock>,
  { index, content_block: block }: Extract<Event, { type: 'content_block_start' }>,
): Parts {
  const id = String(index);
  switch (block?.type) {
    case 'text':
      blocks.set(index, { kind: 'text' });
      return [{ type: 'text-start', id }, ...(block.text ? [textDelta(id, block.text)] : [])];
    case 'thinking':
      blocks.set(index, { kind: 'reasoning' });
      return [
        { type: 'reasoning-start', id },
        ...(block.thinking ? [reasoningDelta(id, block.thinking)] : []),
        ...(block.signature ? [signed(id, block.signature)] : []),
      ];
    case 'redacted_thinking':
      blocks.set(index, { kind: 'reasoning' });
      return [{ type: 'reasoning-start', id, providerMetadata: { anthropic: { redactedData: block.data } } }];
    case 'tool_use': {
      const given = isEmpty(block.input) ? '' : JSON.stringify(block.input);
      blocks.set(index, { kind: 'call', callId: block.id, name: block.name, input: given });
      return [{ type: 'tool-input-start', id: block.id, toolName: block.name }];
    }
    default:
      return NOTHING;
  }
}

function continueBlock(
  block: OpenBlock | undefined,
  { index, delta }: Extract<Event, { type: 'content_block_delta' }>,
): Parts {
  const id = String(index);
  switch (delta?.type) {
    case 'text_delta':
      return [textDelta(id, delta.text)];
    case 'thinking_delta':
      return [reasoningDelta(id, delta.thinking)];
    case 'signature_delta':
      return [signed(id, delta.signature)];
    case 'input_json_delta':
      if (block?.kind !== 'call') return NOTHING;
      block.input += delta.partial_json;
      return [{ type: 'tool-input-delta', id: block.callId, delta: delta.partial_json }];
    default:
      return NOTHING;
  }
}

function endBlock(blocks: Map<number, OpenBlock>, index: number): Parts {
  const block = blocks.get(index);
  blocks.delete(index);
  if (block === undefined) return NOTHING;
  if (block.kind !== 'call') return [{ type: `${block.kind}-end`, id: String(index) }];
  const { callId, name, input } = block;
  return [{ type: 'tool-call', toolCallId: callId, toolName: name, input }];
}

function textDelta(id: string, delta: string): LanguageModelV4StreamPart {
  return { type: 'text-delta', id, delta };
}

function reasoningDelta(id: string, delta: string): LanguageModelV4StreamPart {
  return { type: 'reasoning-delta', id, delta };
}

function signed(id: string, signature: string): LanguageModelV4StreamPart {
  return { type: 'reasoning-delta', id, delta: '', providerMetadata: { anthropic: { signature } } };
}

function isEmpty(input: unknown): boolean {
  return (
    input === undefined || input === null || (typeof input === 'object' && Object.keys(input).length === 0)
  );
}

const FINISH_REASONS: Readonly<Record<string, LanguageModelV4FinishReason['unified']>> = {
  end_turn: 'stop',
  stop_sequence: 'stop',
  pause_turn: 'stop',
  tool_use: 'tool-calls',
  max_tokens: 'length',
  model_context_window_exceeded: 'length',
  refusal: 'content-filter',
};

function toFinishReason(raw: string): LanguageModelV4FinishReason {
  return { unified: FINISH_REASONS[raw] ?? 'other', raw };
}

function toStopDetails(details: BetaRefusalStopDetails | null | undefined) {
  if (details === undefined || details === null) return undefined;
  const { category, explanation } = details;
  return { anthropic: { stopDetails: { category, explanation } } };
}

/** A later report replaces an earlier one, number by number. */
function mergeUsage(
  before: Partial<BetaUsage>,
  reported: Partial<BetaMessageDeltaUsage> | undefined,
): Partial<BetaUsage> {
  const present = Object.entries(reported ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...before, ...Object.fromEntries(present) };
}

/** `input_tokens` leaves out what was read from and written to the cache. */
function toUsage(usage: Partial<BetaUsage>): LanguageModelV4Usage {
  const noCache = usage.input_tokens;
  const cacheRead = usage.cache_read_input_tokens ?? 0;
  const cacheWrite = usage.cache_creation_input_tokens ?? 0;
  const reasoning = usage.output_tokens_details?.thinking_tokens;
  return {
    inputTokens: {
      total: noCache === undefined ? undefined : noCache + cacheRead + cacheWrite,
      noCache,
      cacheRead,
      cacheWrite,
    },
    outputTokens: { total: usage.output_tokens, text: undefined, reasoning },
  };
}
