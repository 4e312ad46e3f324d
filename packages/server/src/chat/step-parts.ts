import type { EventOf } from '@longhaul/protocol';
import type { UiChunk } from './ui-chunk.ts';

type Kind = 'text' | 'reasoning';

/**
 * Orders the parts of one step as a reader expects them: reasoning and text, then the calls. Text that was missed while
 * streaming is taken from the complete answer.
 */
export class StepParts {
  #open: { id: string; kind: Kind } | undefined;
  readonly #seen = { text: '', reasoning: '' };
  /** Calls that wait for the text before them, which may only arrive with the complete answer. */
  #held: UiChunk[] = [];
  #isAnswered = false;
  #count = 0;

  reset(): void {
    this.#open = undefined;
    this.#seen.text = '';
    this.#seen.reasoning = '';
    this.#held = [];
    this.#isAnswered = false;
  }

  chunk({ messageId, partIndex, chunkType, content, isComplete }: EventOf<'llm:chunk'>): UiChunk[] {
    if (this.#isAnswered) return [];
    const id = `${messageId}:${partIndex}`;
    this.#seen[chunkType] += content;
    const delta: UiChunk[] = content === '' ? [] : [{ type: `${chunkType}-delta`, id, delta: content }];
    return [...this.#opened(id, chunkType), ...delta, ...(isComplete === true ? this.#closed() : [])];
  }

  call({ callId, toolName, args }: EventOf<'llm:tool-call'>): UiChunk[] {
    this.#held.push(
      { type: 'tool-input-start', toolCallId: callId, toolName, dynamic: true },
      { type: 'tool-input-available', toolCallId: callId, toolName, input: args, dynamic: true },
    );
    return this.#isAnswered ? this.#released() : [];
  }

  /** Handles the complete answer, or the text of an answer that broke off. */
  response({ content = '', reasoning = '' }: { content?: string; reasoning?: string }): UiChunk[] {
    const chunks = [...this.#missing('reasoning', reasoning), ...this.#missing('text', content)];
    this.#isAnswered = true;
    return [...chunks, ...this.end()];
  }

  /** Closes the open part and releases the calls that wait. */
  end(): UiChunk[] {
    return [...this.#closed(), ...this.#released()];
  }

  #missing(kind: Kind, whole: string): UiChunk[] {
    const seen = this.#seen[kind];
    const rest = whole.startsWith(seen) ? whole.slice(seen.length) : '';
    if (rest === '') return [];
    this.#seen[kind] = whole;
    this.#count += 1;
    const id = this.#open?.kind === kind ? this.#open.id : `whole:${this.#count}`;
    return [...this.#opened(id, kind), { type: `${kind}-delta`, id, delta: rest }];
  }

  #opened(id: string, kind: Kind): UiChunk[] {
    if (this.#open?.id === id) return [];
    const before = this.#closed();
    this.#open = { id, kind };
    return [...before, { type: `${kind}-start`, id }];
  }

  #closed(): UiChunk[] {
    if (this.#open === undefined) return [];
    const { id, kind } = this.#open;
    this.#open = undefined;
    return [{ type: `${kind}-end`, id }];
  }

  #released(): UiChunk[] {
    const held = this.#held;
    this.#held = [];
    return held;
  }
}
