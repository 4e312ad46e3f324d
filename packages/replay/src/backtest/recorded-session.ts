import type { Message, Part, ToolOutputContent, ToolPart } from '@longhaul/protocol';

/** Something that stands in a log or a view: a text, a call's arguments, or a call's result. */
export interface Segment {
  readonly kind: 'user' | 'assistant' | 'call' | 'result';
  readonly text: string;
  /** Of a call and of its result: the arguments as compact JSON. */
  readonly args?: string;
  readonly tokens: number;
}

/** A segment as it was recorded. */
export interface RecordedEvent extends Segment {
  /** Of a call and of its result: the parsed arguments. */
  readonly input?: unknown;
  /** Where it stands in the session's messages. */
  readonly messageIndex: number;
}

/** A run of consecutive assistant events: a view is made before it, and results come after it. */
export interface RecordedStep {
  /** Its first event; all events before it are what the step could know. */
  readonly firstEvent: number;
  /** Behind its last event. */
  readonly endEvent: number;
  /** Index of the message that it starts. */
  readonly messageIndex: number;
}

/** A session as the backtest walks it. */
export interface RecordedSession {
  readonly messages: readonly Message[];
  readonly events: readonly RecordedEvent[];
  readonly steps: readonly RecordedStep[];
  /** Tokens of all events. */
  readonly tokens: number;
}

/** What an event counts, whatever the model: `⌊characters / 4⌋ + 4`. */
export function eventTokens(text: string): number {
  return Math.floor(text.length / 4) + 4;
}

export function tokensOf(segments: readonly Segment[]): number {
  return segments.reduce((sum, segment) => sum + segment.tokens, 0);
}

/** Reasoning is left out; media stand as a short text, since only text can hold facts. */
export function recordSession(recorded: readonly Message[]): RecordedSession {
  const messages = recorded.map(visibleMessage);
  const events = messages.flatMap((message, messageIndex) => eventsOf(message, messageIndex));
  return {
    messages,
    events,
    steps: stepsOf(events),
    tokens: events.reduce((sum, event) => sum + event.tokens, 0),
  };
}

function visibleMessage(message: Message): Message {
  return { ...message, parts: message.parts.flatMap(visiblePart) };
}

function visiblePart(part: Part): Part[] {
  if (part.type === 'reasoning') return [];
  if (part.type === 'notice') return part.forModel ? [{ type: 'text', text: part.text, state: 'done' }] : [];
  if (part.type === 'file') return [{ type: 'text', text: `[${part.mediaType}]`, state: 'done' }];
  if (part.type !== 'tool') return part.text === '' ? [] : [part];
  return [{ ...part, output: [{ type: 'text', text: outputText(part) }] }];
}

function outputText(part: ToolPart): string {
  if (part.output === undefined) return part.error ?? '';
  return part.output.map(textOfContent).join('\n');
}

function textOfContent(content: ToolOutputContent): string {
  return content.type === 'text' ? content.text : `[${content.type}]`;
}

/** All calls of a message come before their results, as they were sent. */
function eventsOf(message: Message, messageIndex: number): RecordedEvent[] {
  const said: RecordedEvent[] = [];
  const results: RecordedEvent[] = [];
  for (const part of message.parts) {
    if (part.type === 'text') said.push({ ...segmentOf(message.role, part.text), messageIndex });
    if (part.type !== 'tool') continue;
    const args = JSON.stringify(part.input);
    const call = { input: part.input, messageIndex };
    said.push({ ...segmentOf('call', args, args), ...call });
    results.push({ ...segmentOf('result', outputText(part), args), ...call });
  }
  return [...said, ...results];
}

export function segmentOf(kind: Segment['kind'], text: string, args?: string): Segment {
  return { kind, text, tokens: eventTokens(text), ...(args === undefined ? {} : { args }) };
}

function stepsOf(events: readonly RecordedEvent[]): RecordedStep[] {
  const steps: RecordedStep[] = [];
  for (let index = 0; index < events.length; index += 1) {
    if (!isAssistant(events[index])) continue;
    const firstEvent = index;
    while (isAssistant(events[index + 1])) index += 1;
    steps.push({ firstEvent, endEvent: index + 1, messageIndex: events[firstEvent]?.messageIndex ?? 0 });
  }
  return steps;
}

function isAssistant(event: RecordedEvent | undefined): boolean {
  return event?.kind === 'assistant' || event?.kind === 'call';
}
