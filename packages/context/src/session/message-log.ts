import { isOpen, LonghaulError, type Message, type MessageMetadata, type Part } from '@longhaul/protocol';
import { textOfOutput, type ViewEntry } from '../view.ts';
import type { ViewMessage } from '../view-message.ts';
import { type MessageFormat, type MessageReading, opaquePart, type ToolAnswer } from './message-format.ts';
import { answered, type Group, isOpenCall, isUnanswered, placesOf } from './message-group.ts';
import { shownGroup } from './shown-group.ts';
import { validReading } from './valid-reading.ts';

/**
 * The log of a session with someone else's messages. It reads them, and shows them in their own form. A message without
 * marks is shown as the very object that was appended.
 */
export class MessageLog<M> {
  readonly #format: MessageFormat<M>;
  readonly #groups: Group<M>[] = [];
  readonly #byMessage = new WeakMap<Message, Group<M>>();
  readonly #shown = new WeakMap<ViewMessage, M[]>();
  /** All appended messages, in order. */
  readonly natives: M[] = [];
  readonly messages: Message[] = [];
  /** System messages before all others. They come first in every request. */
  readonly head: M[] = [];
  /** Ids of later system messages. */
  readonly #injected: string[] = [];

  constructor(format: MessageFormat<M>) {
    this.#format = format;
  }

  /**
   * @throws {LonghaulError} `invalid_request` if the reading is invalid, or for a result before any answer. Nothing is
   * appended then.
   */
  append(native: M): void {
    const reading = validReading(this.#read(native), this.natives.length);
    if (reading.role === 'tool') this.#addResults(native, reading.results);
    else if (reading.role !== 'system') this.#addParts(native, reading);
    else if (this.#groups.length > 0) this.#addInjected(native, reading.text);
    else this.head.push(native);
    this.natives.push(native);
  }

  /**
   * Ids of the messages that no compaction may hide: the newest of the system messages in the chat, and the first if no
   * system message precedes the chat.
   */
  get pinned(): string[] {
    const newest = this.#injected.at(-1);
    const first = this.head.length === 0 ? this.#injected[0] : undefined;
    return [...new Set([first, newest])].filter((id) => id !== undefined);
  }

  /** Whether a part is always sent whole, so that a cut would save nothing: the format can only change other parts. */
  isSentWhole(part: Part): boolean {
    return part.type === 'notice' || part.type === 'file';
  }

  #read(native: M): MessageReading {
    try {
      return this.#format.read(native);
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      const index = this.natives.length;
      throw new LonghaulError('invalid_request', `The format cannot read message ${index}: ${reason}`, {
        cause: error,
        data: { messageIndex: index },
      });
    }
  }

  #addParts(
    native: M,
    { role, parts, isContinued = false }: Exclude<MessageReading, { role: 'system' | 'tool' }>,
  ): void {
    const last = this.#groups.at(-1);
    if (!isContinued || last === undefined || !isUnanswered(last)) {
      this.#addGroup(native, role, parts);
      return;
    }
    this.#set({
      ...last,
      message: { ...last.message, parts: [...last.message.parts, ...parts] },
      natives: [...last.natives, native],
      places: [...last.places, ...placesOf(parts, last.natives.length)],
    });
  }

  #addGroup(native: M, role: Message['role'], parts: Part[], metadata?: MessageMetadata): void {
    const sequence = this.#groups.length + 1;
    const message: Message = {
      id: `m${sequence}`,
      sessionId: '',
      sequence,
      role,
      parts,
      status: 'done',
      createdAt: 0,
      tokenCount: 0,
      ...(metadata === undefined ? {} : { metadata }),
    };
    this.#set({ message, natives: [native], places: placesOf(parts, 0), results: new Map() });
  }

  #set(group: Group<M>): void {
    const index = group.message.sequence - 1;
    this.#groups[index] = group;
    this.messages[index] = group.message;
    this.#byMessage.set(group.message, group);
  }

  #addInjected(native: M, text: string): void {
    this.#addGroup(native, 'user', [opaquePart(text)], { synthetic: 'injected' });
    this.#injected.push(`m${this.#groups.length}`);
  }

  #addResults(native: M, answers: readonly ToolAnswer[]): void {
    const group = this.#groupFor(answers);
    const parts = [...group.message.parts];
    const results = new Map(group.results);
    for (const [index, answer] of answers.entries()) {
      const partIndex = parts.findIndex((part) => isOpenCall(part, answer.callId));
      const call = parts[partIndex];
      if (call?.type === 'tool') {
        parts[partIndex] = answered(call, answer);
        results.set(partIndex, { native: group.natives.length, index });
      } else {
        // The result of a call that the provider ran, or that already has a result. It is counted and sent, but never
        // changed.
        parts.push(opaquePart(textOfOutput(answer.output)));
      }
    }
    this.#set({
      ...group,
      message: { ...group.message, parts },
      natives: [...group.natives, native],
      results,
    });
  }

  /**
   * Returns the newest message with a call that one of the answers belongs to. If there is none, returns the newest
   * assistant message.
   */
  #groupFor(answers: readonly ToolAnswer[]): Group<M> {
    const asked = this.#groups.findLast(({ message }) =>
      message.parts.some((part) => answers.some(({ callId }) => isOpenCall(part, callId))),
    );
    const group = asked ?? this.#groups.findLast(({ message }) => message.role === 'assistant');
    if (group === undefined) {
      const text =
        'A tool message was appended before any assistant message that could have called the tool.';
      throw new LonghaulError('invalid_request', text);
    }
    return group;
  }

  get hasOpenCalls(): boolean {
    return this.#groups.some(({ message }) => message.parts.some(isOpen));
  }

  /** Returns the caller's messages for an entry of the view. */
  shownAs({ message, source }: ViewEntry): M[] {
    const known = this.#shown.get(message);
    if (known !== undefined) return known;
    const group = source === undefined ? undefined : this.#byMessage.get(source);
    const shown = group === undefined ? [this.#write(message)] : this.#shownGroup(group, message);
    this.#shown.set(message, shown);
    return shown;
  }

  #write(message: ViewMessage): M {
    const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return message.role === 'user' ? this.#format.userMessage(text) : this.#format.assistantMessage(text);
  }

  #shownGroup(group: Group<M>, shown: ViewMessage): M[] {
    const indexOf = (native: M) => this.natives.indexOf(native);
    return shownGroup(group, shown, { format: this.#format, indexOf });
  }
}
