import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage, StreamWatch } from '../compaction/types.ts';
import type { RawHeaders } from '../http/headers.ts';
import { noticeText } from '../notices.ts';
import type { AnswerFacts } from '../proxy/answer-form.ts';
import type { AnswerRelay, RelayEnd } from '../proxy/answer-relay.ts';
import { type AnswerPiece, AnswerRun } from '../proxy/answer-run.ts';
import type { ClientStream } from '../proxy/client-stream.ts';
import type { FailedAnswer } from '../proxy/explain-failure.ts';
import { type EventEnd, passStream, type TakenEvent } from '../proxy/pass-stream.ts';
import type { Json } from '../wire/json.ts';
import { LineReader } from '../wire/line-reader.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import type { WayAnswer } from './answers/way-answer.ts';
import { observed, parsedEvent } from './read-answer.ts';
import type { Way } from './way.ts';

export interface WayRelayOptions {
  way: Way;
  client: ClientStream;
  /** Headers to add to the head of the answer. */
  headers: () => RawHeaders;
  explain: (thrown: unknown, answer?: FailedAnswer) => LonghaulError;
  /** Whether notices are texts of the answer. */
  showsNotices: boolean;
}

/**
 * Passes the streams of one answer of another protocol on. As long as nothing must be changed, the client gets the same
 * bytes in the same chunks. Only an incomplete event waits for its end.
 */
export class WayRelay implements AnswerRelay {
  readonly #options: WayRelayOptions;
  readonly #answer: WayAnswer;
  #run = new AnswerRun(undefined);
  #usage: Partial<ObservedUsage> = {};
  #isContinuation = false;
  /** The client has got an event of this answer. */
  #hasSent = false;
  #lastWasNotice = false;
  hadError = false;

  constructor(options: WayRelayOptions) {
    this.#options = options;
    this.#answer = options.way.answers.start();
  }

  get usage(): ObservedUsage | undefined {
    return observed(this.#usage);
  }

  async relay(answer: IncomingMessage, watch: StreamWatch | undefined): Promise<RelayEnd> {
    this.#run = new AnswerRun(watch, this.#run);
    this.#usage = {};
    try {
      return await this.#relayAll(answer);
    } catch (thrown) {
      return { kind: 'broken', error: this.#options.explain(thrown, { status: 200 }) };
    } finally {
      answer.destroy();
    }
  }

  continueAnswer(estimate: ObservedUsage): void {
    this.#isContinuation = true;
    this.#answer.continueAnswer(estimate);
  }

  async endAtLength(notice: string): Promise<void> {
    await this.notice(notice);
    await this.#write(this.#answer.lengthEnd());
    this.#options.client.end();
  }

  /** Adds a notice to an answer that has begun. */
  async notice(notice: string): Promise<void> {
    if (!this.#options.showsNotices || !this.#hasSent) return;
    const text = noticeText(notice, { isFirst: this.#lastWasNotice });
    this.#lastWasNotice = true;
    await this.#write(this.#answer.textEvents(text));
  }

  async #relayAll(answer: IncomingMessage): Promise<RelayEnd> {
    const { client, headers } = this.#options;
    const isSse = /event-stream/.test(answer.headers['content-type'] ?? '');
    const end = await passStream(answer, {
      client,
      reader: isSse ? new SseReader() : new LineReader(),
      begin: (without) => client.begin(answer, { without: ['content-length', ...without], add: headers() }),
      take: (event) => this.#take(event),
      takeLast: (bytes) => this.#takeLast(bytes),
    });
    return end ?? { kind: 'ended' };
  }

  /** The last line of a stream may have no end. */
  #takeLast(raw: Buffer): Buffer {
    const { bytes, end } = this.#take({ raw, data: raw.toString('utf8'), name: undefined });
    return end?.kind === 'refused' ? raw : (bytes ?? Buffer.alloc(0));
  }

  #take(event: SseEvent): TakenEvent {
    const json = event.data === undefined ? undefined : parsedEvent(event.data);
    const end = json === undefined ? undefined : this.#errorEnd(json);
    if (end !== undefined) return { end };
    const bytes = json === undefined ? event.raw : this.#bytesOf(event, json);
    return { bytes, end: this.#run.end };
  }

  #bytesOf({ raw }: SseEvent, json: Json): Buffer {
    const { way } = this.#options;
    const usage = way.usageOf(json);
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage };
    const facts = this.#answer.note(json);
    this.#run.add(pieceOf(facts), usage && promptOnly(observed(this.#usage)));
    this.#hasSent = true;
    if (facts.text !== '') this.#lastWasNotice = false;
    if (!this.#isContinuation) return raw;
    return Buffer.from(this.#answer.rewritten(json).map(way.answers.eventText).join(''));
  }

  /** An error is a refusal if nothing has been written, and a reason to continue if the window is full. */
  #errorEnd(json: Json): EventEnd | undefined {
    if (!isError(json)) return undefined;
    const error = this.#options.explain(undefined, { status: 200, body: `data: ${JSON.stringify(json)}` });
    if (!this.#run.hasWritten) {
      // The client has got the beginning of an answer, which another stream must not begin again.
      if (this.#hasSent) this.continueAnswer({ promptTokens: 0, completionTokens: 0 });
      return { kind: 'refused', error };
    }
    if (error.code === 'context_overflow' && this.#run.canStop)
      return { kind: 'stop', soFar: this.#run.soFar(), error };
    this.hadError = true;
    return undefined;
  }

  async #write(events: readonly Json[]): Promise<void> {
    const { client, way } = this.#options;
    if (events.length > 0) await client.write(events.map(way.answers.eventText).join(''));
  }
}

function isError(json: Json): boolean {
  return json['type'] === 'error' || typeof json['error'] === 'string' || isOnlyError(json);
}

/** Some servers send the error of a request alone in an event. */
function isOnlyError(json: Json): boolean {
  return json['type'] === undefined && typeof json['error'] === 'object' && json['error'] !== null;
}

function pieceOf({ text, reasoning, called, hasCall, end }: AnswerFacts): AnswerPiece {
  const written = text + reasoning + called;
  return { text, reasoning, written, hasCall, isSingle: true, isEnd: end !== undefined };
}

/** The tokens of an answer that has not ended are an estimate of the server, which begins at 1. */
function promptOnly(usage: ObservedUsage | undefined): ObservedUsage | undefined {
  return usage && { promptTokens: usage.promptTokens };
}
