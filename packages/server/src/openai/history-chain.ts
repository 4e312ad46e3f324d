import { createHash } from 'node:crypto';
import { type ClientMessage, textOf } from './chat-request.ts';

/**
 * Hashes of a conversation's beginnings: the n-th stands for its first n messages. Each is made from the one before, so that a message more
 * costs that message alone.
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

  /** Of the first `count` messages. */
  at(count: number): string {
    return this.#hashes[count] ?? '';
  }

  get last(): string {
    return this.at(this.length);
  }
}

/** What of a message says that it is the same one when it comes again. */
function identityOf(message: ClientMessage): string[] {
  const { role, content } = message;
  if (role === 'assistant') return [role, withoutThoughts(textOf(message)).replaceAll(/\s+/g, '')];
  const others = typeof content === 'string' ? [] : (content ?? []).filter(({ type }) => type !== 'text');
  return [
    role,
    textOf(message).replaceAll('\r\n', '\n').trim(),
    ...others.map((part) => JSON.stringify(part)),
  ];
}

/** Front-ends keep reasoning inside the answer, and send it back or not; they also set spaces and lines anew. */
function withoutThoughts(text: string): string {
  return text.replaceAll(/<details type="reasoning"[^>]*>[\s\S]*?<\/details>|<think>[\s\S]*?<\/think>/g, '');
}

function digest(pieces: readonly string[]): string {
  return createHash('sha256').update(JSON.stringify(pieces)).digest('base64url');
}
