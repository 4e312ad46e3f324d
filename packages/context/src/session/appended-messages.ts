import { LonghaulError } from '@longhaul/protocol';
import { headOf } from '../cut-middle.ts';
import type { MessageFormat } from './message-format.ts';
import { MessageLog } from './message-log.ts';
import { isSame, snapshotOf } from './same-message.ts';

/** The messages that a caller has appended: their log, and their content at that time. */
export class AppendedMessages<M> {
  readonly #format: MessageFormat<M>;
  #log: MessageLog<M>;
  #snapshots: unknown[] = [];
  /** As they were appended, in order. */
  #messages: M[] = [];

  constructor(format: MessageFormat<M>) {
    this.#format = format;
    this.#log = new MessageLog(format);
  }

  /** Another object after `truncate`. */
  get log(): MessageLog<M> {
    return this.#log;
  }

  get messages(): readonly M[] {
    return this.#messages;
  }

  /** Appends all of the messages or none. Throws as `MessageLog.append`. */
  append(messages: readonly M[]): void {
    const before = this.#log.natives.length;
    try {
      for (const message of messages) this.#read(message);
    } catch (error) {
      if (this.#log.natives.length > before) this.#rebuild(this.#messages.length);
      throw error;
    }
    this.#messages.push(...messages);
    this.#snapshots.push(...messages.map(snapshotOf));
  }

  /** Returns whether anything was removed. */
  truncate(messageCount: number): boolean {
    const { length } = this.#messages;
    if (!Number.isInteger(messageCount) || messageCount < 0 || messageCount > length)
      throw new LonghaulError(
        'invalid_request',
        `The session has ${length} messages, so it cannot be truncated to ${messageCount}. Pass a whole number from 0 to ${length}.`,
      );
    if (messageCount === length) return false;
    this.#rebuild(messageCount);
    this.#snapshots = this.#snapshots.slice(0, messageCount);
    return true;
  }

  #rebuild(messageCount: number): void {
    this.#messages = this.#messages.slice(0, messageCount);
    this.#log = new MessageLog(this.#format);
    for (const message of this.#messages) this.#read(message);
  }

  /** The log has a message that is split as several ones. */
  #read(message: M): void {
    for (const each of this.#format.split?.(message) ?? [message]) this.#log.append(each);
  }

  /** @throws {LonghaulError} `invalid_request` if the history does not begin with the appended messages. */
  expectBeginningOf(history: readonly M[]): void {
    const { length } = this.#messages;
    const index = this.#snapshots.findIndex(
      (snapshot, at) => at >= history.length || !isSame(snapshot, history[at]),
    );
    if (index === -1) return;
    const difference =
      index < history.length
        ? `message ${index} is ${quote(history[index])}, but ${quote(this.#snapshots[index])} was appended`
        : `it has ${history.length} messages, but ${length} were appended`;
    throw new LonghaulError(
      'invalid_request',
      `The history diverges from the session: ${difference}. Pass the whole history from its first message; if you keep ` +
        `only new messages, use append(). If you edited or removed messages, call truncate(${index}) first.`,
      { data: { messageIndex: index, messageCount: length, historyCount: history.length } },
    );
  }
}

const QUOTE_CHARS = 100;

function quote(message: unknown): string {
  return headOf(JSON.stringify(message) ?? String(message), QUOTE_CHARS);
}
