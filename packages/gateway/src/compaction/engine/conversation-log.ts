import { type ContextLog, MessageLog, type ViewEntry } from '@longhaul/context/engine';
import type { ChatMessage, Mark, Part } from '@longhaul/protocol';
import { chatFormat, readableMessages } from '../conversation/chat-format.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { withReasoningField } from '../conversation/reasoning-field.ts';
import { OPENING_TEXT, toStrictChat } from '../conversation/strict-chat.ts';
import { withoutRecall } from '../conversation/without-recall.ts';
import type { StrictRoles } from '../types.ts';

/**
 * Maps a conversation to the engine's log and back: each message of the log belongs to one or more received messages.
 */
export class ConversationLog {
  readonly #conversation: Conversation;
  readonly #log = new MessageLog<ChatMessage>(chatFormat());
  readonly #received: ReadonlySet<ChatMessage>;
  /** For each message of the log (its sequence number minus 1), the number of the conversation's messages before it. */
  readonly #starts: number[] = [];

  /**
   * Returns the log of a conversation. It is built once per conversation object.
   *
   * @throws {LonghaulError} `invalid_request` for an unknown role.
   */
  static of(conversation: Conversation): ConversationLog {
    const log = LOGS.get(conversation) ?? new ConversationLog(conversation);
    LOGS.set(conversation, log);
    return log;
  }

  private constructor(conversation: Conversation) {
    this.#conversation = conversation;
    const messages = readableMessages(conversation.rest);
    for (const message of conversation.head) this.#log.append(message);
    for (const [index, message] of messages.entries()) {
      this.#log.append(message);
      if (this.#log.messages.length > this.#starts.length) this.#starts.push(index);
    }
    this.#received = new Set([...conversation.head, ...messages]);
  }

  /**
   * Whether neither the newest message nor the last question is among these. They can be if a client goes back to an
   * earlier place of the conversation: a compaction made later may hide them.
   */
  leavesQuestion(hides: readonly string[]): boolean {
    const { messages } = this.#log;
    const hidden = new Set(hides);
    const asked = [messages.at(-1), messages.findLast(({ role }) => role === 'user')];
    return asked.every((message) => message === undefined || !hidden.has(message.id));
  }

  /** Whether a part is always sent whole, so that a cut of it would save nothing. */
  readonly isSentWhole = (part: Part): boolean => this.#log.isSentWhole(part);

  /** Returns the log with these marks. The newest system message in the middle of the conversation is pinned. */
  withMarks(marks: readonly Mark[]): ContextLog {
    return { messages: this.#log.messages, marks: [...this.#log.pinned.map(pinOf), ...marks] };
  }

  /** Returns the number of the conversation's messages up to the end of this message of the log. */
  lengthAt(messageId: string): number {
    return this.#starts[Number(messageId.slice(1))] ?? this.#conversation.rest.length;
  }

  /** Returns, for each message of the log, the range of its received messages. */
  spans(): { id: string; start: number; end: number }[] {
    return this.#log.messages.map(({ id }, index) => {
      return { id, start: this.#starts[index] ?? 0, end: this.lengthAt(id) };
    });
  }

  /** Returns the hash of the conversation up to the end of this message of the log. */
  chainAt(messageId: string): string | undefined {
    return this.#conversation.chain[this.lengthAt(messageId) - 1];
  }

  /** Returns the messages to send for a view. An unchanged message is the received object itself. */
  render(entries: readonly ViewEntry[], strictRoles: StrictRoles | undefined): ChatMessage[] {
    const shown = entries.flatMap((entry) => this.#log.shownAs(entry));
    // Chat templates require a user message first. The view begins without one only if the client has dropped the
    // beginning.
    const isOpened = entries[0]?.source !== undefined || shown[0]?.role === 'user';
    const opening: ChatMessage[] =
      shown.length > 0 && !isOpened ? [{ role: 'user', content: OPENING_TEXT }] : [];
    const messages = [...this.#conversation.head, ...opening, ...shown].map((message) =>
      this.#received.has(message) ? message : withoutRecall(message),
    );
    const strict = strictRoles === undefined ? messages : toStrictChat(messages, strictRoles);
    return withReasoningField(strict, this.#received);
  }
}

/** Returns a mark that keeps a message visible. */
export function pinOf(messageId: string): Mark {
  return { kind: 'pin', id: `pin-${messageId}`, messageId, createdAt: 0 };
}

const LOGS = new WeakMap<Conversation, ConversationLog>();
