import { type ContextLog, MessageLog, type ViewEntry } from '@longhaul/context';
import type { ChatMessage, Mark } from '@longhaul/protocol';
import { chatFormat, readableMessages } from '../conversation/chat-format.ts';
import type { Conversation } from '../conversation/conversation.ts';
import { OPENING_TEXT, toStrictChat } from '../conversation/strict-chat.ts';
import { withoutRecall } from '../conversation/without-recall.ts';
import type { StrictRoles } from '../types.ts';

/** A conversation as the engine's log, and the way back: which of the received messages belong to which of the log's. */
export class ConversationLog {
  readonly #conversation: Conversation;
  readonly #log = new MessageLog<ChatMessage>(chatFormat());
  readonly #received: ReadonlySet<ChatMessage>;
  /** By the log's sequence number less 1: how many of the conversation's messages came before it. */
  readonly #starts: number[] = [];

  /** @throws {LonghaulError} `invalid_request` for a role that does not exist. */
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

  /** Whether what is to be answered is not among these: a client may ask again what a compaction hides that was made further on. */
  leavesQuestion(hides: readonly string[]): boolean {
    const { messages } = this.#log;
    const hidden = new Set(hides);
    const asked = [messages.at(-1), messages.findLast(({ role }) => role === 'user')];
    return asked.every((message) => message === undefined || !hidden.has(message.id));
  }

  /** System messages in the middle of a conversation stay, whatever is hidden around them. */
  withMarks(marks: readonly Mark[]): ContextLog {
    const pins = this.#log.pinned.map((messageId): Mark => {
      return { kind: 'pin', id: `pin-${messageId}`, messageId, createdAt: 0 };
    });
    return { messages: this.#log.messages, marks: [...pins, ...marks] };
  }

  /** How many of the conversation's messages there are up to the end of this one. */
  lengthAt(messageId: string): number {
    return this.#starts[Number(messageId.slice(1))] ?? this.#conversation.rest.length;
  }

  /** The log's messages, and where those begin and end that were received. */
  spans(): { id: string; start: number; end: number }[] {
    return this.#log.messages.map(({ id }, index) => {
      return { id, start: this.#starts[index] ?? 0, end: this.lengthAt(id) };
    });
  }

  chainAt(messageId: string): string | undefined {
    return this.#conversation.chain[this.lengthAt(messageId) - 1];
  }

  /** The view as it is sent. A message that nothing was done to is the very one that was received. */
  render(entries: readonly ViewEntry[], strictRoles: StrictRoles | undefined): ChatMessage[] {
    const shown = entries.flatMap((entry) => this.#log.shownAs(entry));
    // Only where the client itself has dropped the beginning. Templates want a user first.
    const opening: ChatMessage[] =
      entries[0]?.source === undefined && shown.length > 0 ? [{ role: 'user', content: OPENING_TEXT }] : [];
    const messages = [...this.#conversation.head, ...opening, ...shown].map((message) =>
      this.#received.has(message) ? message : withoutRecall(message),
    );
    return strictRoles === undefined ? messages : toStrictChat(messages, strictRoles);
  }
}

/** One for each request, whoever asks for it. */
const LOGS = new WeakMap<Conversation, ConversationLog>();
