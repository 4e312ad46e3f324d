import type {
  LanguageModelV4FinishReason,
  LanguageModelV4StreamPart,
  LanguageModelV4ToolCall,
  SharedV4ProviderMetadata,
} from '@ai-sdk/provider';
import type { StepEvent } from '@longhaul/core';
import type { FinishReason } from '@longhaul/protocol';
import { endExplanation } from './answer/end-explanation.ts';
import { type AnswerEnd, answerEnd } from './answer/finish-reasons.ts';
import { toCallEvent, toMetadata } from './call-event.ts';
import { DETAILS, FIELDS, textOfDetails } from './reasoning-details.ts';
import { brokenEnd, type CallTarget, promptFillsWindow } from './step-failure.ts';
import { toUsage } from './step-usage.ts';

type StreamPart = LanguageModelV4StreamPart;

interface OpenBlock {
  kind: 'text' | 'reasoning';
  /** Unique in the step. The SDK reuses an id for a later block. */
  id: string;
  metadata: SharedV4ProviderMetadata | undefined;
}

export interface StepEvents {
  /** Converts one part of the SDK's stream to events. Empty for parts without an event. */
  of(part: Exclude<StreamPart, { type: 'finish' | 'error' }>): readonly StepEvent[];
  /** Closes open blocks and ends the step. */
  finish(part: Extract<StreamPart, { type: 'finish' }>): readonly StepEvent[];
}

const NOTHING: readonly StepEvent[] = [];

export interface StepEventsOptions {
  target: CallTarget;
  /** Ids of the calls in the request. */
  knownCallIds: Iterable<string>;
  /**
   * Whether calls are held back until the finish. The SDK's tracker for OpenAI-compatible streams emits all calls at
   * the end of the stream, even if it ended too early. Half a call must never count as a whole one.
   */
  holdsCalls: boolean;
  /** The provider continues a paused turn if the request is repeated with the answer at its end. */
  resumesPaused?: boolean;
}

/** Creates a converter from the parts of one model call to events. */
export function createStepEvents(options: StepEventsOptions): StepEvents {
  const blocks = new Map<string, OpenBlock>();
  const calls = createCallNames(options.knownCallIds);
  const held: StepEvent[] = [];
  let blockCount = 0;
  let callCount = 0;
  const isRepeated = createRepetitions();
  let hasSaid = false;
  let hasThought = false;
  let model: string | undefined;

  const open = (kind: OpenBlock['kind'], sdkId: string, events: StepEvent[]): OpenBlock => {
    blockCount += 1;
    const block: OpenBlock = { kind, id: `${kind}-${blockCount}`, metadata: undefined };
    blocks.set(`${kind} ${sdkId}`, block);
    events.push({ type: `${kind}-start`, id: block.id });
    return block;
  };
  const onBlock = (kind: OpenBlock['kind'], part: BlockPart): readonly StepEvent[] => {
    const events: StepEvent[] = [];
    const key = `${kind} ${part.id}`;
    const block = blocks.get(key) ?? open(kind, part.id, events);
    block.metadata = mergeMetadata(block.metadata, part.providerMetadata);
    if ('delta' in part && part.delta !== '') {
      hasSaid = true;
      hasThought ||= kind === 'reasoning';
      events.push({ type: `${kind}-delta`, id: block.id, text: part.delta });
    } else if (part.type.endsWith('-end')) {
      blocks.delete(key);
      events.push(endOf(block));
    }
    return events;
  };
  const onCall = (part: LanguageModelV4ToolCall): readonly StepEvent[] => {
    if (part.providerExecuted === true || isRepeated(part)) return NOTHING;
    callCount += 1;
    const event = toCallEvent(part, calls.closed(part.toolCallId));
    if (!options.holdsCalls) return [event];
    held.push(event);
    return NOTHING;
  };

  return {
    of(part) {
      switch (part.type) {
        case 'text-start':
        case 'text-delta':
        case 'text-end':
          return onBlock('text', part);
        case 'reasoning-start':
        case 'reasoning-delta':
        case 'reasoning-end':
          return onBlock('reasoning', part);
        case 'tool-input-start':
          if (part.providerExecuted === true) return NOTHING;
          return [{ type: 'tool-input-start', callId: calls.opened(part.id), name: part.toolName }];
        case 'tool-input-delta':
          if (part.delta === '' || !calls.isOpen(part.id)) return NOTHING;
          return [{ type: 'tool-input-delta', callId: calls.current(part.id), text: part.delta }];
        case 'tool-call':
          return onCall(part);
        case 'file':
          return fileEvents(part);
        case 'response-metadata':
          model = part.modelId ?? model;
          return NOTHING;
        default:
          return NOTHING;
      }
    },
    finish(part) {
      const { raw } = part.finishReason;
      const end = endOfAnswer(part.finishReason, callCount > 0);
      const explanation = endExplanation(part.providerMetadata, options.target.secrets);
      const failure = brokenEnd(end, { raw, explanation }, options.target);
      if (failure !== undefined) return [{ type: 'error', error: failure }];
      const usage = toUsage(part.usage);
      if (end === 'full' && !hasSaid && callCount === 0) {
        return [{ type: 'error', error: promptFillsWindow(options.target, usage) }];
      }
      return [
        ...[...blocks.values()].map(endOf),
        ...detailEvents(part.providerMetadata?.[FIELDS], hasThought),
        ...held,
        {
          type: 'finish',
          finishReason: toFinishReason(end),
          ...(end === 'paused' && options.resumesPaused ? { continuesAsSent: true } : {}),
          ...(raw === undefined ? {} : { rawFinishReason: raw }),
          ...(explanation === undefined ? {} : { explanation }),
          ...(usage === undefined ? {} : { usage }),
          ...(model === undefined ? {} : { model }),
        },
      ];
    },
  };
}

type BlockPart = Extract<
  StreamPart,
  { type: `text-${'start' | 'delta' | 'end'}` | `reasoning-${'start' | 'delta' | 'end'}` }
>;

function endOf(block: OpenBlock): StepEvent {
  const providerMetadata = block.metadata === undefined ? undefined : toMetadata(block.metadata);
  return { type: `${block.kind}-end`, id: block.id, providerMetadata };
}

/**
 * Adds a block for the reasoning in OpenRouter's form, which is complete only at the finish. Its text is left out if it
 * has been streamed in another field.
 */
function detailEvents(fields: SharedV4ProviderMetadata[string] | undefined, hasText: boolean): StepEvent[] {
  if (fields?.[DETAILS] === undefined) return [];
  const metadata = toMetadata({ [FIELDS]: { [DETAILS]: fields[DETAILS] } });
  const id = 'reasoning-details';
  const text = hasText ? '' : textOfDetails(metadata[FIELDS]?.[DETAILS]);
  return [
    { type: 'reasoning-start', id },
    ...(text === '' ? [] : [{ type: 'reasoning-delta' as const, id, text }]),
    { type: 'reasoning-end', id, providerMetadata: metadata },
  ];
}

/** Recognises a call that repeats another one of the answer, with its id. It must not be made twice. */
function createRepetitions(): (call: LanguageModelV4ToolCall) => boolean {
  const made = new Set<string>();
  return ({ toolCallId, toolName, input }) => {
    const key = JSON.stringify([toolCallId, toolName, input]);
    const isRepeated = toolCallId !== '' && made.has(key);
    made.add(key);
    return isRepeated;
  };
}

/** Creates call ids that are unique in the step and the request. Some servers count from `call_0` in every answer. */
function createCallNames(known: Iterable<string>) {
  const used = new Set(known);
  const open = new Map<string, string>();
  const opened = (sdkId: string): string => {
    const base = sdkId === '' ? 'call' : sdkId;
    let callId = base;
    for (let attempt = 2; used.has(callId); attempt += 1) callId = `${base}-${attempt}`;
    used.add(callId);
    open.set(sdkId, callId);
    return callId;
  };
  return {
    opened,
    isOpen: (sdkId: string) => open.has(sdkId),
    current: (sdkId: string) => open.get(sdkId) ?? opened(sdkId),
    closed(sdkId: string): string {
      const callId = open.get(sdkId) ?? opened(sdkId);
      open.delete(sdkId);
      return callId;
    },
  };
}

/**
 * Merges the metadata of a block, which arrives in pieces: an id at its start, a signature with a delta. Later values
 * win, unless they are null or undefined.
 */
function mergeMetadata(
  before: SharedV4ProviderMetadata | undefined,
  added: SharedV4ProviderMetadata | undefined,
): SharedV4ProviderMetadata | undefined {
  if (added === undefined) return before;
  if (before === undefined) return added;
  const merged = { ...before };
  for (const [provider, fields] of Object.entries(added)) {
    const present = Object.entries(fields).filter(([, value]) => value !== undefined && value !== null);
    merged[provider] = { ...merged[provider], ...Object.fromEntries(present) };
  }
  return merged;
}

function fileEvents(part: Extract<StreamPart, { type: 'file' }>): readonly StepEvent[] {
  if (part.data.type !== 'data') return NOTHING;
  const { data } = part.data;
  const base64 = typeof data === 'string' ? data : Buffer.from(data).toString('base64');
  const { mediaType } = part;
  const type = mediaType.startsWith('image/') ? 'image' : 'file';
  return [{ type: 'file', content: { type, data: base64, mediaType } }];
}

/** Some servers finish with `stop` although the answer contains calls. */
function endOfAnswer({ unified, raw }: LanguageModelV4FinishReason, hasCalls: boolean): AnswerEnd {
  const end = sentEnd(unified, raw);
  return hasCalls && (end === 'stop' || end === 'other') ? 'tool-calls' : end;
}

function sentEnd(unified: LanguageModelV4FinishReason['unified'], raw: string | undefined): AnswerEnd {
  // A refusal can also be in the content.
  if (unified === 'content-filter') return unified;
  if (raw === undefined) return unified === 'other' ? 'interrupted' : unified;
  const known = answerEnd(raw);
  return known === 'other' ? unified : known;
}

/** In a full window, an answer counts as cut off by its length. */
function toFinishReason(end: AnswerEnd): FinishReason {
  if (end === 'full') return 'length';
  return end === 'interrupted' || end === 'overloaded' || end === 'malformed' ? 'error' : end;
}
