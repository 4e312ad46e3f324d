import { isOpen, LonghaulError, type Message, type Part, type ToolPart } from '@longhaul/protocol';
import { INTERRUPTED_RESULT, textOfOutput, type ViewEntry } from '../view.ts';
import type { ViewMessage } from '../view-message.ts';
import type { MessageFormat, PartChange, ToolAnswer } from './message-format.ts';

/**
 * A message of the log, and the caller's messages from which it was read. A step is an answer and the results after it.
 */
interface Group<M> {
  message: Message;
  natives: M[];
  /** By the index of a call's part: the index in `natives` of its result's message, and the index in that message. */
  results: Map<number, { native: number; index: number }>;
}

/**
 * The log of a session with someone else's messages. It reads them, and shows them in their own form. A message without
 * marks is shown as the very object that was appended.
 */
export class MessageLog<M> {
  readonly #format: MessageFormat<M>;
  readonly #groups: Group<M>[] = [];
  readonly #byId = new Map<string, Group<M>>();
  readonly #shown = new WeakMap<ViewMessage, M[]>();
  /** All appended messages, in order. */
  readonly natives: M[] = [];
  readonly messages: Message[] = [];
  /** System messages before all others. They come first in every request. */
  readonly head: M[] = [];
  headText = '';
  /** Ids of later system messages. No compaction may hide them. */
  readonly pinned: string[] = [];

  constructor(format: MessageFormat<M>) {
    this.#format = format;
  }

  append(native: M): void {
    const reading = this.#format.read(native);
    if (reading.role === 'tool') this.#addResults(native, reading.results);
    else if (reading.role !== 'system') this.#addGroup(native, reading.role, reading.parts);
    else if (this.#groups.length > 0) this.#addInjected(native, reading.text);
    else {
      this.head.push(native);
      this.headText += `${reading.text}\n`;
    }
    this.natives.push(native);
  }

  #addGroup(native: M, role: Message['role'], parts: Part[]): Group<M> {
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
    };
    const group: Group<M> = { message, natives: [native], results: new Map() };
    this.#groups.push(group);
    this.#byId.set(message.id, group);
    this.messages.push(message);
    return group;
  }

  #addInjected(native: M, text: string): void {
    const { message } = this.#addGroup(native, 'user', [{ type: 'notice', text, forModel: true }]);
    message.metadata = { synthetic: 'injected' };
    this.pinned.push(message.id);
  }

  #addResults(native: M, answers: readonly ToolAnswer[]): void {
    const group = this.#groupFor(answers);
    const parts = [...group.message.parts];
    for (const [index, answer] of answers.entries()) {
      const partIndex = parts.findIndex((part) => isOpenCall(part, answer.callId));
      const call = parts[partIndex];
      if (call?.type === 'tool') {
        parts[partIndex] = answered(call, answer);
        group.results.set(partIndex, { native: group.natives.length, index });
      } else {
        // The result of a call that the provider ran, or that already has a result. It is counted and sent, but never
        // changed.
        parts.push({ type: 'notice', text: textOfOutput(answer.output), forModel: true });
      }
    }
    group.natives.push(native);
    group.message = { ...group.message, parts };
    this.messages[group.message.sequence - 1] = group.message;
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
    const group = source === undefined ? undefined : this.#byId.get(source.id);
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
      if (content.input !== part.input) change(0, index, { input: content.input });
      const result = results.get(index);
      if (result === undefined) missing.push(this.#format.toolMessage(part, INTERRUPTED_RESULT));
      else if (content.output !== part.output)
        change(result.native, result.index, { text: textOfOutput(content.output) });
    }
    const rewritten = natives.map((native, index) => {
      const ofNative = changes.get(index);
      return ofNative === undefined ? native : this.#format.rewrite(native, ofNative);
    });
    return [...rewritten, ...missing];
  }
}

function isOpenCall(part: Part, callId: string): boolean {
  return part.type === 'tool' && part.callId === callId && isOpen(part);
}

function answered(call: ToolPart, { output, isError }: ToolAnswer): ToolPart {
  return { ...call, state: isError ? 'error' : 'completed', output };
}
