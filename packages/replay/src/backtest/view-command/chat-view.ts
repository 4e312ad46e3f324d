import { isObject, type JsonObject, type JsonValue, type Message } from '@longhaul/protocol';
import { objectAt, objectsAt, textAt } from '../../importers/json-fields.ts';
import { argumentsText, textOf } from '../../importers/part-text.ts';
import { type Segment, segmentOf } from '../recorded-session.ts';

/** Returns recorded messages as messages of OpenAI's chat API. */
export function chatMessages(messages: readonly Message[]): JsonObject[] {
  return messages.flatMap((message) => (message.role === 'user' ? [ofUser(message)] : ofAssistant(message)));
}

function ofUser({ parts }: Message): JsonObject {
  return { role: 'user', content: parts.map((part) => ('text' in part ? part.text : '')).join('\n') };
}

/** A call id is unique in a session. Two sessions can have the same ones. */
function ofAssistant({ parts }: Message): JsonObject[] {
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n');
  const tools = parts.filter((part) => part.type === 'tool');
  const calls = tools.map((part) => ({
    id: part.callId,
    type: 'function',
    function: { name: part.name, arguments: argumentsText(part) },
  }));
  const said: JsonObject = {
    role: 'assistant',
    content: text === '' ? null : text,
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const results = tools.map((part) => ({
    role: 'tool',
    tool_call_id: part.callId,
    content: textOf(part.output ?? []),
  }));
  return [said, ...results];
}

/** Turns chat messages into segments. Equal texts are the same object, so that each is searched once. */
export class ChatSegments {
  readonly #known = new Map<string, Segment>();

  of(messages: readonly JsonObject[]): Segment[] {
    const args = new Map<string, string>();
    return messages.flatMap((message) => {
      const role = textAt(message, 'role');
      const text = contentText(message['content']);
      if (role === 'tool') {
        const ofCall = args.get(textAt(message, 'tool_call_id') ?? '');
        return [this.#segment('result', text, ofCall)];
      }
      if (role !== 'assistant') return [this.#segment('user', text)];
      const said = text === '' ? [] : [this.#segment('assistant', text)];
      const calls = objectsAt(message, 'tool_calls').map((call) => {
        const given = textAt(objectAt(call, 'function'), 'arguments') ?? '';
        args.set(textAt(call, 'id') ?? '', given);
        return this.#segment('call', given, given);
      });
      return [...said, ...calls];
    });
  }

  #segment(kind: Segment['kind'], text: string, args?: string): Segment {
    const key = `${kind}\n${args ?? ''}\n${text}`;
    const known = this.#known.get(key) ?? segmentOf(kind, text, args);
    this.#known.set(key, known);
    return known;
  }
}

/** Returns the text of content that is a string or a list of parts. */
function contentText(content: JsonValue | undefined): string {
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return '';
  return content.map((part) => (isObject(part) ? (textAt(part, 'text') ?? '') : '')).join('\n');
}
