import {
  LonghaulError,
  type Message,
  type Part,
  type ReasoningPart,
  type TextPart,
  type TokenUsage,
} from '@longhaul/protocol';
import type { BlobStore, StepEvent } from '../../ports/index.ts';
import { newId } from '../../session/ids.ts';
import { storeMedia } from '../../session/messages/media.ts';
import type { SessionWriter } from '../../session/session-writer.ts';
import { closeAnswer, type StepOutcome } from './step-outcome.ts';
import { closeUnrun, startOf, toToolPart } from './stream-parts.ts';

/** Streamed text is written at least this often. A crash loses no more than that. */
const FLUSH_INTERVAL_MS = 50;
const FLUSH_CHARS = 4_096;

/** What a stream processor writes to. */
export interface StreamProcessorOptions {
  writer: SessionWriter;
  blobs: BlobStore;
  /** `provider/model`, as stored in the message. */
  model: string;
  /** See `ModelDriver`. */
  router?: string | undefined;
  costOf: (usage: TokenUsage) => number | undefined;
}

interface OpenStream {
  index: number;
  part: TextPart | ReasoningPart;
  dirtyChars: number;
  isWritten: boolean;
}

/**
 * Writes a model's stream into the session while it arrives: the assistant message first, then its parts, in the order
 * of events. Text is flushed every 50 ms, every 4,096 characters, and before any other event. A tool call is stored
 * before `process` returns.
 */
export class StreamProcessor {
  readonly #options: StreamProcessorOptions;
  #message: Message | undefined;
  /** Number of parts with an index, whether or not they have been flushed. */
  #partCount = 0;
  readonly #open = new Map<string, OpenStream>();
  #flushTimer: NodeJS.Timeout | undefined;
  /** Writes are sequential, including those of the flush timer. */
  #lastWrite: Promise<void> = Promise.resolve();
  #writeFailure: unknown;
  #texts: string[] = [];
  #toolCalls = 0;
  #error: LonghaulError | undefined;

  constructor(options: StreamProcessorOptions) {
    this.#options = options;
  }

  /**
   * Consumes the stream of one step.
   *
   * @throws The store's error if the session cannot be written. Anything in the stream that is not a `LonghaulError`.
   */
  async process(stream: AsyncIterable<StepEvent>): Promise<StepOutcome> {
    let finish: Extract<StepEvent, { type: 'finish' }> | undefined;
    try {
      for await (const event of stream) {
        if (event.type === 'text-delta' || event.type === 'reasoning-delta') {
          if (!this.#open.has(event.id)) await this.#handle({ type: startOf(event.type), id: event.id });
          this.#addDelta(event);
        } else if (event.type === 'finish') finish = event;
        else await this.#handle(event);
        if (this.#writeFailure !== undefined) throw this.#writeFailure;
      }
    } catch (thrown) {
      if (this.#writeFailure !== undefined) throw this.#writeFailure;
      if (!(thrown instanceof LonghaulError)) throw thrown;
      this.#error ??= thrown;
    } finally {
      clearTimeout(this.#flushTimer);
    }
    if (finish === undefined && this.#error === undefined) {
      this.#error = new LonghaulError(
        'provider_stream_cut',
        'The stream ended before the answer was complete.',
      );
    }
    return this.#close(finish);
  }

  #addDelta(event: { type: 'text-delta' | 'reasoning-delta'; id: string; text: string }): void {
    const stream = this.#open.get(event.id);
    if (stream === undefined) return;
    const { part, index } = stream;
    const offset = part.text.length;
    part.text += event.text;
    stream.dirtyChars += event.text.length;
    this.#options.writer.emitTransient({
      type: 'llm:chunk',
      chunkType: part.type,
      content: event.text,
      messageId: this.#message?.id ?? '',
      partIndex: index,
      offset,
    });
    if (stream.dirtyChars >= FLUSH_CHARS) void this.#flush();
    else this.#flushTimer ??= setTimeout(() => void this.#flush(), untilNextFlush());
  }

  #start(type: 'text' | 'reasoning', id: string): void {
    const part = { type, text: '', state: 'running' } as const;
    this.#open.set(id, { index: this.#partCount, part: { ...part }, dirtyChars: 0, isWritten: false });
    this.#partCount += 1;
  }

  async #handle(
    event: Exclude<StepEvent, { type: 'text-delta' | 'reasoning-delta' | 'finish' }>,
  ): Promise<void> {
    switch (event.type) {
      case 'text-start':
      case 'reasoning-start':
        await this.#ensureMessage();
        this.#start(event.type === 'text-start' ? 'text' : 'reasoning', event.id);
        return;
      case 'text-end':
      case 'reasoning-end':
        return this.#endStream(event.id, event.providerMetadata);
      case 'text-is-reasoning':
        return this.#turnIntoReasoning(event.id);
      case 'tool-input-start':
      case 'tool-input-delta':
        return;
      case 'tool-call':
      case 'tool-call-invalid':
        return this.#addToolCall(event);
      case 'file':
        return this.#addFile(event.content);
      case 'input-left-out':
        return this.#announceLeftOut(event);
      case 'warning':
        return this.#options.writer.announce({ type: 'context:warning', message: event.message });
      case 'error':
        this.#error ??= event.error;
        return;
    }
  }

  #turnIntoReasoning(id: string): void {
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    const { text, state } = stream.part;
    stream.part = { type: 'reasoning', text, state };
    stream.isWritten = false;
  }

  async #endStream(id: string, providerMetadata: TextPart['providerMetadata']): Promise<void> {
    const stream = this.#open.get(id);
    if (stream === undefined) return;
    if (providerMetadata !== undefined) stream.part.providerMetadata = providerMetadata;
    await this.#closeStream(id, stream, 'done');
  }

  async #closeStream(id: string, stream: OpenStream, state: 'done' | 'interrupted'): Promise<void> {
    stream.part = { ...stream.part, state };
    stream.isWritten = false;
    const written = this.#flush();
    this.#open.delete(id);
    if (stream.part.type === 'text') this.#texts.push(stream.part.text);
    await written;
  }

  async #addToolCall(event: Extract<StepEvent, { type: 'tool-call' | 'tool-call-invalid' }>): Promise<void> {
    await this.#ensureMessage();
    await this.#flush();
    const index = this.#partCount;
    this.#partCount += 1;
    const part = toToolPart(event);
    this.#toolCalls += 1;
    await this.#write(index, part, {
      type: 'llm:tool-call',
      toolName: part.name,
      args: part.input,
      callId: part.callId,
    });
  }

  async #announceLeftOut({
    mediaType,
    reason,
  }: Extract<StepEvent, { type: 'input-left-out' }>): Promise<void> {
    const { writer, model } = this.#options;
    const [provider = '', ...name] = model.split('/');
    const event = { errors: [reason], provider, model: name.join('/'), fileType: mediaType };
    await writer.announce({ type: 'llm:unsupported-input', ...event });
  }

  async #addFile(content: Extract<StepEvent, { type: 'file' }>['content']): Promise<void> {
    if (content.type === 'text') return;
    await this.#ensureMessage();
    await this.#flush();
    const [stored] = await storeMedia([content], this.#options.blobs);
    if (stored === undefined) return;
    const index = this.#partCount;
    this.#partCount += 1;
    await this.#write(index, { type: 'file', mediaType: stored.mediaType ?? 'image/png', data: stored.data });
  }

  async #ensureMessage(): Promise<Message> {
    this.#message ??= await this.#options.writer.appendMessage({
      id: newId(),
      role: 'assistant',
      parts: [],
      status: 'running',
      createdAt: Date.now(),
      tokenCount: 0,
      model: this.#options.model,
    });
    return this.#message;
  }

  /** Writes the text that has arrived since the last flush, in the order of the parts. */
  #flush(): Promise<void> {
    clearTimeout(this.#flushTimer);
    this.#flushTimer = undefined;
    for (const stream of this.#open.values()) {
      if (stream.dirtyChars === 0 && stream.isWritten) continue;
      stream.dirtyChars = 0;
      stream.isWritten = true;
      void this.#write(stream.index, { ...stream.part });
    }
    return this.#lastWrite;
  }

  #write(index: number, part: Part, ...events: Parameters<SessionWriter['announce']>): Promise<void> {
    this.#lastWrite = this.#lastWrite.then(async () => {
      if (this.#writeFailure !== undefined) return;
      try {
        await this.#options.writer.putPart(await this.#ensureMessage(), index, part, events);
      } catch (error) {
        this.#writeFailure = error;
      }
    });
    return this.#lastWrite;
  }

  async #close(finish: Extract<StepEvent, { type: 'finish' }> | undefined): Promise<StepOutcome> {
    const error = this.#error;
    for (const [id, stream] of [...this.#open])
      await this.#closeStream(id, stream, error ? 'interrupted' : 'done');
    await this.#lastWrite;
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    if (error !== undefined) return this.#closeFailed(error);
    const message = await this.#ensureMessage();
    const { writer, model, router, costOf } = this.#options;
    const text = this.#texts.join('');
    const closed = await closeAnswer(writer, { message, model, router, text, finish, costOf });
    return { message, text, hasToolCalls: this.#toolCalls > 0, ...closed };
  }

  async #closeFailed(error: LonghaulError): Promise<StepOutcome> {
    const base = { finishReason: 'error', text: this.#texts.join(''), hasToolCalls: false, error } as const;
    const message = this.#message;
    if (message === undefined) return base;
    for (const [index, part] of message.parts.entries()) {
      if (part.type === 'tool' && part.state === 'pending') await this.#write(index, closeUnrun(part));
    }
    await this.#lastWrite;
    if (this.#writeFailure !== undefined) throw this.#writeFailure;
    const status = error.code === 'cancelled' ? 'interrupted' : 'failed';
    await this.#options.writer.closeMessage(message, { status, finishReason: 'error' });
    return { ...base, message };
  }
}

/** All streams of a process flush at the same times, so that the store can write them in one commit. */
function untilNextFlush(): number {
  return FLUSH_INTERVAL_MS - (performance.now() % FLUSH_INTERVAL_MS);
}
