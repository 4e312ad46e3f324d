import {
  isOpen,
  LonghaulError,
  type Message,
  type MessageMetadata,
  type Part,
  type ToolPart,
} from '@longhaul/protocol';
import { INTERRUPTED_RESULT, textOfOutput, type ViewEntry } from '../view.ts';
import type { ViewMessage } from '../view-message.ts';
import {
  type MessageFormat,
  type MessageReading,
  opaquePart,
  type PartChange,
  type ToolAnswer,
} from './message-format.ts';
import { rewriteProblem } from './rewrite-problem.ts';
import { isSame } from './same-message.ts';
import { validReading } from './valid-reading.ts';

/**
 * A message of the log, and the caller's messages from which it was read. A step is an answer and the results after it.
 * A later result makes a new group, so that a view from before shows what it was built from.
 */
interface Group<M> {
  readonly message: Message;
  readonly natives: readonly M[];
  /** By the index of a call's part: the index in `natives` of its result's message, and the index in that message. */
  readonly results: ReadonlyMap<number, { native: number; index: number }>;
}

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
    else if (reading.role !== 'system') this.#addGroup(native, reading.role, reading.parts);
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
    this.#set({ message, natives: [native], results: new Map() });
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
    this.#set({ message: { ...group.message, parts }, natives: [...group.natives, native], results });
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
    const shown = group === undefined ? [this.#write(message)] : this.#rewrite(group, message);
    this.#shown.set(message, shown);
    return shown;
  }

  #write(message: ViewMessage): M {
    const text = message.content.map((part) => (part.type === 'text' ? part.text : '')).join('\n');
    return message.role === 'user' ? this.#format.userMessage(text) : this.#format.assistantMessage(text);
  }

  /** Copies only messages with a cut or pruned part, and answers calls without a result. */
  #rewrite({ message, natives, results }: Group<M>, shown: ViewMessage): M[] {
    const changes = new Map<number, Map<number, PartChange>>();
    const change = (native: number, index: number, value: PartChange) => {
      const ofNative = changes.get(native) ?? new Map<number, PartChange>();
      changes.set(native, ofNative.set(index, value));
    };
    const missing: M[] = [];
    for (const [index, part] of message.parts.entries()) {
      const content = shown.content[index];
      if (part.type === 'text' && content?.type === 'text' && content.text !== part.text)
        change(0, index, { text: content.text });
      if (part.type !== 'tool' || content?.type !== 'tool') continue;
      if (!isSame(part.input, content.input)) change(0, index, { input: content.input });
      const result = results.get(index);
      if (result === undefined) missing.push(this.#format.toolMessage(part, INTERRUPTED_RESULT));
      else if (content.output !== part.output)
        change(result.native, result.index, { text: textOfOutput(content.output) });
    }
    const rewritten = natives.map((native, index) => {
      const ofNative = changes.get(index);
      return ofNative === undefined ? native : this.#changed(native, ofNative);
    });
    return [...rewritten, ...missing];
  }

  /** @throws {LonghaulError} `invalid_request` if the format made other changes: the request would not have the size that was decided. */
  #changed(native: M, changes: ReadonlyMap<number, PartChange>): M {
    const index = this.natives.indexOf(native);
    const rewritten = this.#format.rewrite(native, changes);
    const before = validReading(this.#format.read(native), index);
    const problem = rewriteProblem(before, validReading(this.#format.read(rewritten), index), changes);
    if (problem === undefined) return rewritten;
    throw new LonghaulError(
      'invalid_request',
      `The format's rewrite of message ${index} is wrong: ${problem}. Test the format with checkFormat() of @longhaul/context/check-format.`,
      { data: { messageIndex: index } },
    );
  }
}

function isOpenCall(part: Part, callId: string): boolean {
  return part.type === 'tool' && part.callId === callId && isOpen(part);
}

function answered(call: ToolPart, { output, isError }: ToolAnswer): ToolPart {
  return { ...call, state: isError ? 'error' : 'completed', output };
}
