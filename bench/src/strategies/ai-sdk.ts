import type { RecordedEvent, ReplayMethod, Segment } from '@longhaul/replay';
import { tokensOf } from '@longhaul/replay';
import { type ModelMessage, pruneMessages } from 'ai';
import { type Unit, unitsBefore, unitsOf } from './units.ts';

/**
 * AI SDK `pruneMessages`: when the view exceeds the usable window, tool calls before the last 10 messages are removed
 * with their results. `pruneMessages` does not know the window and removes nothing else.
 */
export const aiSdkPrune: ReplayMethod = {
  name: 'ai-sdk pruneMessages',
  start(session, { usableTokens }) {
    const units = unitsOf(session);
    const segments = new Map<string, Segment>();
    let kept: ModelMessage[] = [];
    let next = 0;
    const view = () => kept.flatMap((message) => segmentsOf(message, segments));
    return {
      async viewBefore({ firstEvent }) {
        const end = unitsBefore(units, next, firstEvent);
        kept.push(...units.slice(next, end).map((unit) => toMessage(unit, session.events, segments)));
        next = end;
        if (tokensOf(view()) > usableTokens) {
          kept = pruneMessages({
            messages: kept,
            toolCalls: 'before-last-10-messages',
            emptyMessages: 'remove',
          });
        }
        return { view: view() };
      },
    };
  },
};

function toMessage(
  unit: Unit,
  events: readonly RecordedEvent[],
  segments: Map<string, Segment>,
): ModelMessage {
  const [event] = unit.events;
  if (event === undefined) throw new Error('A message has no event.');
  const first = unit.end - unit.events.length;
  if (unit.kind === 'user') {
    segments.set(`text ${first}`, event);
    return { role: 'user', content: [{ type: 'text', text: event.text, providerOptions: mark(first) }] };
  }
  if (unit.kind === 'result') {
    const toolCallId = String(unit.call);
    segments.set(`result ${toolCallId}`, event);
    const output = { type: 'text', value: event.text } as const;
    return { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'tool', output }] };
  }
  return {
    role: 'assistant',
    content: unit.events.map((each, at) => {
      const index = first + at;
      segments.set(`${each.kind === 'call' ? 'call' : 'text'} ${index}`, events[index] ?? each);
      return each.kind === 'call'
        ? { type: 'tool-call', toolCallId: String(index), toolName: 'tool', input: each.input }
        : { type: 'text', text: each.text, providerOptions: mark(index) };
    }),
  };
}

/** Marks a text with its event, because `pruneMessages` keeps the options of message parts. */
function mark(event: number) {
  return { replay: { event } };
}

function segmentsOf({ content }: ModelMessage, segments: ReadonlyMap<string, Segment>): Segment[] {
  if (typeof content === 'string') throw new Error('Every message of the replay has parts.');
  return content.flatMap((part) => {
    const key =
      part.type === 'tool-call'
        ? `call ${part.toolCallId}`
        : part.type === 'tool-result'
          ? `result ${part.toolCallId}`
          : part.type === 'text'
            ? `text ${part.providerOptions?.['replay']?.['event']}`
            : '';
    return segments.get(key) ?? [];
  });
}
