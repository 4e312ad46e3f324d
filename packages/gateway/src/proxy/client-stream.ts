import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import { drained, type Exchange } from '../http/exchange.ts';
import { pageHeaders } from '../http/page-headers.ts';
import { errorEvent, sendError } from '../http/send-error.ts';
import { deltaField, noticeComment, noticeText } from '../notices.ts';
import type { NoticeManner } from '../options.ts';
import { type ChunkFacts, identityOf, type StreamIdentity } from './chunk-facts.ts';
import { writeHead } from './forward.ts';

export interface ClientStreamOptions {
  manner: NoticeManner;
  keepAliveMs: number;
  /** The model's name as the client sent it. */
  model: string;
}

/** The one stream that a client sees as its answer. It may be assembled from several streams of the upstream. */
export class ClientStream {
  readonly #exchange: Exchange;
  readonly #options: ClientStreamOptions;
  #keepAlive: NodeJS.Timeout | undefined;
  #identity: StreamIdentity | undefined;
  #mustRewrite = false;
  #hasBegun = false;
  #hasRole = false;
  #hasContent = false;
  #lastWasNotice = false;

  constructor(exchange: Exchange, options: ClientStreamOptions) {
    this.#exchange = exchange;
    this.#options = options;
  }

  /** The head has been sent, so an error can only be sent as an event. */
  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  /** Further chunks must be rewritten to match those that the client has seen. */
  get mustRewrite(): boolean {
    return this.#mustRewrite;
  }

  get identity(): StreamIdentity {
    this.#identity ??= {
      id: `chatcmpl-${randomUUID().replaceAll('-', '')}`,
      created: Math.floor(Date.now() / 1000),
      model: this.#options.model,
    };
    return this.#identity;
  }

  get hasRole(): boolean {
    return this.#hasRole;
  }

  /** Sends the upstream's head, unless a head has been sent. */
  begin(answer: IncomingMessage, change: { without?: readonly string[]; add?: readonly string[] }): void {
    this.stopKeepAlive();
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    writeHead(this.#exchange.response, answer, change);
    this.#exchange.response.flushHeaders();
  }

  /** Records a chunk of the upstream that the client gets. */
  noteChunk({ json, hasRole, written }: ChunkFacts): void {
    this.#identity ??= identityOf(json);
    if (hasRole) this.#hasRole = true;
    if (written === '') return;
    this.#hasContent = true;
    this.#lastWasNotice = false;
  }

  /** Announces another upstream stream. If the client has seen chunks, the next ones are rewritten to match. */
  expectAnother(): void {
    this.#mustRewrite ||= this.#identity !== undefined;
  }

  /** Writes, and resolves when the client can take more, so that nothing accumulates for a slow client. */
  async write(bytes: Buffer | string): Promise<void> {
    const { response, signal } = this.#exchange;
    if (signal.aborted || response.write(bytes)) return;
    await drained(response, signal);
  }

  /** Shows a notice to the user, in the configured manner. */
  async notice(notice: string): Promise<void> {
    const field = deltaField(this.#options.manner);
    if (field === undefined) {
      if (this.#options.manner === 'comment') await this.#writeOwn(noticeComment(notice));
      return;
    }
    this.#mustRewrite = true;
    await this.#writeDelta({
      [field]: noticeText(notice, { isFirst: !this.#hasContent || this.#lastWasNotice }),
    });
  }

  /** Starts to send comments at intervals. The first one sends the head if none has been sent. */
  startKeepAlive(): void {
    this.#keepAlive ??= setInterval(() => {
      void this.#writeOwn(noticeComment('compacting'));
    }, this.#options.keepAliveMs);
  }

  stopKeepAlive(): void {
    clearInterval(this.#keepAlive);
    this.#keepAlive = undefined;
  }

  /** Ends the stream in place of the upstream: finish reason, usage, `[DONE]`. */
  async finish(reason: 'length' | 'stop', usage: object | undefined): Promise<void> {
    await this.#writeOwn(this.#chunk([{ index: 0, delta: {}, logprobs: null, finish_reason: reason }]));
    if (usage !== undefined) await this.#writeOwn(this.#chunk([], { usage }));
    await this.#writeOwn('data: [DONE]\n\n');
    this.end();
  }

  end(): void {
    this.stopKeepAlive();
    this.#exchange.response.end();
  }

  /** Sends an error: as an event if the head has been sent, else as an answer with an error status. */
  fail(error: LonghaulError): void {
    this.stopKeepAlive();
    const { response } = this.#exchange;
    if (this.#hasBegun) response.end(errorEvent(error));
    else sendError(response, error, pageHeaders(response.req));
  }

  /** Sends the upstream's own error as an event, after the head has been sent. */
  failWith(body: object): void {
    this.stopKeepAlive();
    this.#exchange.response.end(`data: ${JSON.stringify(body)}\n\n`);
  }

  async #writeDelta(delta: Record<string, unknown>): Promise<void> {
    const role = this.#hasRole ? {} : { role: 'assistant' };
    this.#hasRole = true;
    this.#hasContent = true;
    this.#lastWasNotice = true;
    const choice = { index: 0, delta: { ...role, ...delta }, logprobs: null, finish_reason: null };
    await this.#writeOwn(this.#chunk([choice]));
  }

  #chunk(choices: object[], more: object = {}): string {
    const chunk = { ...this.identity, object: 'chat.completion.chunk', choices, ...more };
    return `data: ${JSON.stringify(chunk)}\n\n`;
  }

  async #writeOwn(text: string): Promise<void> {
    const { response, signal } = this.#exchange;
    if (signal.aborted || response.writableEnded) return;
    if (!this.#hasBegun) {
      this.#hasBegun = true;
      response.writeHead(200, {
        ...pageHeaders(response.req),
        'content-type': 'text/event-stream; charset=utf-8',
        'cache-control': 'no-cache',
        // Proxies such as nginx would buffer the stream.
        'x-accel-buffering': 'no',
      });
    }
    await this.write(text);
  }
}
