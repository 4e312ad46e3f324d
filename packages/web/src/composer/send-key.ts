import type { UserMessageContentPart } from '@longhaul/protocol';

/**
 * Returns idempotency keys: the same key until other content is sent or `done` is called. If an answer of the server is
 * lost and the message is sent again, it is stored once.
 */
export class SendKey {
  #last: { content: string; key: string } | undefined;

  keyOf(content: readonly UserMessageContentPart[]): string {
    const text = JSON.stringify(content);
    if (this.#last?.content !== text) this.#last = { content: text, key: newKey() };
    return this.#last.key;
  }

  done(): void {
    this.#last = undefined;
  }
}

/** `crypto.randomUUID` exists only with https and on localhost. */
function newKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('');
}
