import type { JsonValue, Message, Part, ToolPart } from '@longhaul/protocol';
import { type SessionEvent, stepsOf, toEvents } from '../events.ts';

/** A piece of a log or a view: a text, a call's arguments, or a call's result. */
export interface Segment {
  readonly kind: 'user' | 'assistant' | 'call' | 'result';
  readonly text: string;
  /** For a call and its result, the arguments as compact JSON. */
  readonly args?: string;
  readonly tokens: number;
}

/** A segment as it was recorded. */
export interface RecordedEvent extends Segment {
  /** For a call and its result, the parsed arguments. */
  readonly input?: JsonValue;
  /** Index of its message in the session. */
  readonly messageIndex: number;
}

/** A run of consecutive assistant events. A view is made before it, and its results follow it. */
export interface RecordedStep {
  /** Index of its first event. The step could know only the events before it. */
  readonly firstEvent: number;
  /** Index after its last event. */
  readonly endEvent: number;
  /** Index of the message that contains its first event. */
  readonly messageIndex: number;
}

/** A session as the backtest replays it. */
export interface RecordedSession {
  readonly messages: readonly Message[];
  readonly events: readonly RecordedEvent[];
  readonly steps: readonly RecordedStep[];
  /** Tokens of all events. */
  readonly tokens: number;
}

/** Returns the tokens of an event: `⌊characters / 4⌋ + 4`, for every model. */
export function eventTokens(text: string): number {
  return Math.floor(text.length / 4) + 4;
}

export function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokens, 0);
}

/**
 * Makes a session of recorded messages. Reasoning is omitted. Summaries that the recorded agent wrote are omitted too,
 * because the log has the messages that they replaced. A short text replaces each image or file, because only text can
 * contain facts.
 */
export function recordSession(recorded: readonly Message[]): RecordedSession {
  const messages = recorded
    .filter((message) => message.metadata?.['isCompactSummary'] !== true)
    .map(visibleMessage);
  const found = toEvents(messages);
  const events = withArguments(found, messages);
  return {
    messages,
    events,
    steps: stepsOf(found).map(({ from, to }) => ({
      firstEvent: from,
      endEvent: to,
      messageIndex: events[from]?.messageIndex ?? 0,
    })),
    tokens: tokensOf(events),
  };
}

function visibleMessage(message: Message): Message {
  return { ...message, parts: message.parts.flatMap(visiblePart) };
}

function visiblePart(part: Part): Part[] {
  if (part.type === 'reasoning' || part.type === 'patch') return [];
  if (part.type === 'notice') return part.forModel ? [{ type: 'text', text: part.text, state: 'done' }] : [];
  if (part.type === 'file') return [{ type: 'text', text: `[${part.mediaType}]`, state: 'done' }];
  if (part.type === 'text') return part.text === '' ? [] : [part];
  const text = outputText(part);
  return [text === undefined ? part : { ...part, output: [{ type: 'text', text }] }];
}

function outputText({ output, error }: ToolPart): string | undefined {
  return (
    output?.map((content) => (content.type === 'text' ? content.text : `[${content.type}]`)).join('\n') ??
    error
  );
}

function withArguments(found: readonly SessionEvent[], messages: readonly Message[]): RecordedEvent[] {
  const indexes = new Map(messages.map((message, index) => [message.sequence, index]));
  const calls = new Map<string, Pick<RecordedEvent, 'args' | 'input'>>();
  for (const { parts, sequence } of messages) {
    for (const part of parts) {
      if (part.type !== 'tool') continue;
      calls.set(`${sequence} ${part.callId}`, { args: JSON.stringify(part.input), input: part.input });
    }
  }
  return found.map(({ kind, text, callId, sequence }) => ({
    kind,
    text,
    tokens: eventTokens(text),
    messageIndex: indexes.get(sequence) ?? 0,
    ...(callId === undefined ? {} : calls.get(`${sequence} ${callId}`)),
  }));
}

export function segmentOf(kind: Segment['kind'], text: string, args?: string): Segment {
  return { kind, text, tokens: eventTokens(text), args };
}
