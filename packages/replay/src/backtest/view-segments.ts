import type { ViewAssistantPart, ViewEntry, ViewUserMessage } from '@longhaul/context/engine';
import type { JsonValue, ToolOutputContent } from '@longhaul/protocol';
import { type Segment, segmentOf } from './recorded-session.ts';

/**
 * Turns views of the engine into segments. Equal segments are the same object, so views are compared fast and each text
 * is searched once.
 */
export class ViewSegments {
  readonly #texts = { user: new Map<string, Segment>(), assistant: new Map<string, Segment>() };
  readonly #calls = new WeakMap<object, Segment>();
  readonly #results = new WeakMap<object, Segment>();
  readonly #placeholders = new WeakMap<Segment, Map<string, Segment>>();

  of(entries: readonly ViewEntry[]): Segment[] {
    return entries.flatMap(({ message }) =>
      message.role === 'user' ? this.#ofUser(message) : this.#ofAssistant(message.content),
    );
  }

  #ofUser({ content }: ViewUserMessage): Segment[] {
    return content.map((part) => this.#text('user', part.type === 'text' ? part.text : `[${part.type}]`));
  }

  #ofAssistant(content: readonly ViewAssistantPart[]): Segment[] {
    const said: Segment[] = [];
    const results: Segment[] = [];
    for (const part of content) {
      if (part.type !== 'tool') said.push(this.#text('assistant', part.text));
      else {
        const call = this.#call(part.input);
        said.push(call);
        results.push(this.#result(call, part.output));
      }
    }
    return [...said, ...results];
  }

  #text(kind: 'user' | 'assistant', text: string): Segment {
    return remember(this.#texts[kind], text, () => segmentOf(kind, text));
  }

  #call(input: JsonValue): Segment {
    const make = () => {
      const args = JSON.stringify(input);
      return segmentOf('call', args, args);
    };
    return typeof input === 'object' && input !== null ? remember(this.#calls, input, make) : make();
  }

  /** The output in the log is the same object in every view. A placeholder is a new object each time. */
  #result(call: Segment, output: ToolOutputContent[]): Segment {
    return remember(this.#results, output, () => {
      const text = output.map((part) => (part.type === 'text' ? part.text : `[${part.type}]`)).join('\n');
      const known = remember(this.#placeholders, call, () => new Map<string, Segment>());
      return remember(known, text, () => segmentOf('result', text, call.args));
    });
  }
}

interface Memory<Key, Value> {
  get(key: Key): Value | undefined;
  set(key: Key, value: Value): unknown;
}

function remember<Key, Value>(memory: Memory<Key, Value>, key: Key, make: () => Value): Value {
  const known = memory.get(key);
  if (known !== undefined) return known;
  const made = make();
  memory.set(key, made);
  return made;
}
