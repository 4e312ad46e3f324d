import type { LanguageModelV4FinishReason, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { ChatCompletionChunk } from 'openai/resources/chat/completions';
import type { CompletionUsage } from 'openai/resources/completions';
import { fromChatUsage } from '../chat-usage.ts';
import type { PartMaker } from '../native/part-stream.ts';
import { reasoningDetails } from '../reasoning-details.ts';

type Parts = LanguageModelV4StreamPart[];
type Delta = ChatCompletionChunk.Choice.Delta & {
  reasoning_content?: string | null;
  reasoning?: string | null;
  reasoning_text?: string | null;
};
type CallDelta = ChatCompletionChunk.Choice.Delta.ToolCall;

interface OpenCall {
  /** Unique in the answer. */
  id: string;
  /** As the server sent it. Undefined if it sent none. */
  sent: string | undefined;
  name: string;
  input: string;
}

/**
 * Converts the chunks of the Chat Completions API. Calls are complete when the stream has finished, because no event
 * ends them. A chunk without choices, and a choice without a delta, are harmless.
 */
export function createChatParts(): PartMaker<ChatCompletionChunk> {
  const blocks = createBlocks();
  const calls = createCalls();
  const details = reasoningDetails.createStreamExtractor();
  let usage: CompletionUsage | undefined;
  let reason: string | undefined;
  let hasMetadata = false;
  let hasRefusal = false;

  return {
    of(chunk) {
      const parts: Parts = [];
      details.processChunk(chunk);
      if (!hasMetadata && typeof chunk?.model === 'string') {
        hasMetadata = true;
        parts.push({ type: 'response-metadata', modelId: chunk.model });
      }
      usage = chunk?.usage ?? usage;
      const choice = chunk?.choices?.[0];
      reason = choice?.finish_reason ?? reason;
      const delta: Delta | undefined = choice?.delta ?? undefined;
      if (delta === undefined) return parts;
      const thought = delta.reasoning_content ?? delta.reasoning ?? delta.reasoning_text;
      if (typeof thought === 'string' && thought !== '') parts.push(...blocks.delta('reasoning', thought));
      hasRefusal ||= Boolean(delta.refusal);
      const said = delta.content || delta.refusal;
      if (typeof said === 'string' && said !== '') parts.push(...blocks.delta('text', said));
      for (const call of delta.tool_calls ?? []) parts.push(...blocks.end(), ...calls.delta(call));
      return parts;
    },
    end() {
      if (reason === undefined) return [];
      return [
        ...blocks.end(),
        ...calls.complete(),
        {
          type: 'finish',
          finishReason: toFinishReason(reason, hasRefusal),
          usage: fromChatUsage(usage),
          providerMetadata: details.buildMetadata(),
        },
      ];
    },
  };
}

/** Text and reasoning alternate in one stream. A block ends when the other kind begins. */
function createBlocks() {
  let open: { kind: 'text' | 'reasoning'; id: string } | undefined;
  let count = 0;
  const end = (): Parts => {
    if (open === undefined) return [];
    const { kind, id } = open;
    open = undefined;
    return [{ type: `${kind}-end`, id }];
  };
  return {
    end,
    delta(kind: 'text' | 'reasoning', delta: string): Parts {
      if (open?.kind === kind) return [{ type: `${kind}-delta`, id: open.id, delta }];
      const parts = end();
      count += 1;
      open = { kind, id: String(count) };
      return [
        ...parts,
        { type: `${kind}-start`, id: open.id },
        { type: `${kind}-delta`, id: open.id, delta },
      ];
    },
  };
}

function createCalls() {
  const calls: OpenCall[] = [];
  const slots = new Map<string, OpenCall>();
  let last = '';

  /** A server numbers calls by `index`, or only gives each an id. A piece without both continues the last call. */
  const slotOf = ({ index, id, function: called }: CallDelta): string => {
    if (typeof index === 'number') return `#${index}`;
    if (id) return `id ${id}`;
    return called?.name ? `call ${calls.length}` : last;
  };
  const open = ({ id, function: called }: CallDelta): OpenCall => {
    const sent = id ? String(id) : undefined;
    const base = sent ?? 'call';
    let unique = base;
    for (let attempt = 2; calls.some((call) => call.id === unique); attempt += 1)
      unique = `${base}-${attempt}`;
    const call = { id: unique, sent, name: called?.name ?? '', input: '' };
    calls.push(call);
    return call;
  };

  return {
    delta(delta: CallDelta): Parts {
      const slot = slotOf(delta);
      last = slot;
      const before = slots.get(slot);
      // Some servers give several calls the same index.
      const isOther = Boolean(delta.id && delta.function?.name) && before?.sent !== String(delta.id);
      const call = before === undefined || isOther ? open(delta) : before;
      slots.set(slot, call);
      const parts: Parts =
        call === before ? [] : [{ type: 'tool-input-start', id: call.id, toolName: call.name }];
      const piece = textOf(delta.function?.arguments);
      if (piece === '') return parts;
      call.input += piece;
      return [...parts, { type: 'tool-input-delta', id: call.id, delta: piece }];
    },
    complete(): Parts {
      const made = calls.filter(
        (call, index) => !calls.slice(0, index).some((other) => repeats(call, other)),
      );
      return made.map(({ id, name, input }) => ({
        type: 'tool-call',
        toolCallId: id,
        toolName: name,
        input,
      }));
    },
  };
}

/** A call that a server sends twice is made once. */
function repeats(call: OpenCall, other: OpenCall): boolean {
  const isSame = call.sent === other.sent && call.name === other.name && call.input === other.input;
  return isSame && call.sent !== undefined;
}

/** Some servers send the arguments as an object. */
function textOf(piece: unknown): string {
  if (piece === undefined || piece === null) return '';
  return typeof piece === 'string' ? piece : JSON.stringify(piece);
}

const FINISH_REASONS: Readonly<Record<string, LanguageModelV4FinishReason['unified']>> = {
  stop: 'stop',
  length: 'length',
  content_filter: 'content-filter',
  tool_calls: 'tool-calls',
  function_call: 'tool-calls',
};

function toFinishReason(raw: string, hasRefusal: boolean): LanguageModelV4FinishReason {
  if (hasRefusal) return { unified: 'content-filter', raw: 'refusal' };
  return { unified: FINISH_REASONS[raw] ?? 'other', raw };
}
