import { createHash } from 'node:crypto';
import { withoutThoughts } from '@longhaul/models';
import { type ClientMessage, textOf } from './chat-request.ts';

/**
 * Hashes of all prefixes of a conversation: the n-th is the hash of its first n messages. Each hash is computed from
 * the previous one, so a new message costs one hash.
 */
export class HistoryChain {
  readonly #hashes: string[];

  constructor(agent: string, messages: readonly ClientMessage[] = []) {
    this.#hashes = [digest(['longhaul agent chat', agent])];
    this.add(...messages);
  }

  get length(): number {
    return this.#hashes.length - 1;
  }

  add(...messages: readonly ClientMessage[]): this {
    for (const message of messages) this.#hashes.push(digest([this.last, ...identityOf(message)]));
    return this;
  }

  /** Returns the hash of the first `count` messages. */
  at(count: number): string {
    return this.#hashes[count] ?? '';
  }

  get last(): string {
    return this.at(this.length);
  }
}

/** Returns the parts of a message that identify it when a client sends it again. */
function identityOf(message: ClientMessage): string[] {
  const { role, content } = message;
  // Front-ends also reformat whitespace in answers.
  if (role === 'assistant') return [role, withoutReasoning(textOf(message)).replaceAll(/\s+/g, '')];
  const others = typeof content === 'string' ? [] : (content ?? []).filter(({ type }) => type !== 'text');
  return [
    role,
    textOf(message).replaceAll('\r\n', '\n').trim(),
    ...others.map((part) => JSON.stringify(part)),
  ];
}

/** Removes reasoning, which some front-ends keep inside the answer and send back. */
function withoutReasoning(text: string): string {
  return withoutThoughts(text.replaceAll(/<details type="reasoning"[^>]*>[\s\S]*?<\/details>/g, ''));
}

function digest(pieces: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(pieces)).digest('base64url');
}
