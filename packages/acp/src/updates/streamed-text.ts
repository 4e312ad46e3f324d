import type { SessionUpdate } from '@agentclientprotocol/sdk';
import type { EventOf } from '@longhaul/protocol';
import { textChunk } from './text-chunk.ts';

type Kind = 'text' | 'reasoning';

const UPDATES = { text: 'agent_message_chunk', reasoning: 'agent_thought_chunk' } as const;

/**
 * Turns the text of one step into chunks. A run of another process sends no chunks: its text comes with the complete
 * answer.
 */
export class StreamedText {
  readonly #seen: Record<Kind, string> = { text: '', reasoning: '' };
  /** Without it, clients join the answers of several steps. */
  #messageId = `answer-${crypto.randomUUID()}`;

  begin(): void {
    this.#seen.text = '';
    this.#seen.reasoning = '';
    this.#messageId = `answer-${crypto.randomUUID()}`;
  }

  chunk({ chunkType, content, messageId }: EventOf<'llm:chunk'>): SessionUpdate[] {
    this.#seen[chunkType] += content;
    this.#messageId = messageId;
    return textChunk(UPDATES[chunkType], content, messageId);
  }

  /** Returns what the chunks did not have of the answer, complete or broken off. */
  answer({ content = '', reasoning = '' }: { content?: string; reasoning?: string }): SessionUpdate[] {
    return [...this.#missing('reasoning', reasoning), ...this.#missing('text', content)];
  }

  #missing(kind: Kind, whole: string): SessionUpdate[] {
    const seen = this.#seen[kind];
    if (!whole.startsWith(seen)) return [];
    this.#seen[kind] = whole;
    return textChunk(UPDATES[kind], whole.slice(seen.length), this.#messageId);
  }
}
