import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage, StreamWatch } from '../compaction/types.ts';
import type { RawHeaders } from '../http/headers.ts';
import { noticeText } from '../notices.ts';
import type { AnswerRelay, RelayEnd } from '../proxy/answer-relay.ts';
import { MAX_PENDING_BYTES, restOf, sourceOf } from '../proxy/answer-source.ts';
import type { ClientStream } from '../proxy/client-stream.ts';
import type { FailedAnswer } from '../proxy/explain-failure.ts';
import type { Json } from '../wire/json.ts';
import { LineReader } from '../wire/line-reader.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import type { WayAnswer } from './answers/way-answer.ts';
import { observed, parsedEvent } from './read-answer.ts';
import type { Way } from './way.ts';
import { WayRun } from './way-run.ts';

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
  #run = new WayRun(undefined);
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
    this.#run = new WayRun(watch, this.#run);
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
    const source = sourceOf(answer);
    const reader = /event-stream/.test(answer.headers['content-type'] ?? '')
      ? new SseReader()
      : new LineReader();
    const begin = () =>
      client.begin(answer, { without: ['content-length', ...source.without], add: headers() });
    const chunks = (source.stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const bytes = next.value;
      const wasWhole = reader.pending.length === 0;
      const events = source.isReadable ? reader.push(bytes) : [];
      const { out, end } = source.isReadable ? this.#takeAll(events) : { out: [bytes], end: undefined };
      if (reader.pending.length > MAX_PENDING_BYTES) out.push(reader.takePending());
      const isUnchanged = wasWhole && reader.pending.length === 0 && areUnchanged(out, events);
      if (out.length > 0) {
        begin();
        await client.write(isUnchanged ? bytes : Buffer.concat(out));
      }
      if (end?.kind === 'refused') {
        const rest = [end.rest, reader.takePending(), ...(await restOf(answer, chunks))];
        return { ...end, answer, rest: Buffer.concat(rest) };
      }
      if (end !== undefined) return end;
    }
    begin();
    if (reader.pending.length > 0) await client.write(this.#last(reader.takePending()));
    return { kind: 'ended' };
  }

  /** The last line of a stream may have no end. */
  #last(raw: Buffer): Buffer {
    const taken = this.#takeAll([{ raw, data: raw.toString('utf8'), name: undefined }]);
    return taken.end?.kind === 'refused' ? raw : Buffer.concat(taken.out);
  }

  #takeAll(events: readonly SseEvent[]): { out: Buffer[]; end: WayEnd | undefined } {
    const out: Buffer[] = [];
    for (const [index, event] of events.entries()) {
      const json = event.data === undefined ? undefined : parsedEvent(event.data);
      const end = json === undefined ? undefined : this.#errorEnd(json);
      if (end?.kind === 'refused') {
        const rest = Buffer.concat(events.slice(index).map(({ raw }) => raw));
        return { out, end: { ...end, rest } };
      }
      if (end !== undefined) return { out, end };
      out.push(json === undefined ? event.raw : this.#bytesOf(event, json));
      const verdict = this.#run.verdict;
      if (verdict !== undefined) return { out, end: { kind: verdict, soFar: this.#run.soFar() } };
    }
    return { out, end: undefined };
  }

  #bytesOf({ raw }: SseEvent, json: Json): Buffer {
    const { way } = this.#options;
    const usage = way.usageOf(json);
    if (usage !== undefined) this.#usage = { ...this.#usage, ...usage };
    const facts = this.#answer.note(json);
    this.#run.add(facts, usage === undefined ? undefined : observed(this.#usage));
    this.#hasSent = true;
    if (facts.text !== '') this.#lastWasNotice = false;
    if (!this.#isContinuation) return raw;
    return Buffer.from(this.#answer.rewritten(json).map(way.answers.eventText).join(''));
  }

  /** An error is a refusal if nothing has been written, and a reason to continue if the window is full. */
  #errorEnd(json: Json): WayEnd | undefined {
    if (!isError(json)) return undefined;
    const error = this.#options.explain(undefined, { status: 200, body: `data: ${JSON.stringify(json)}` });
    if (!this.#run.hasWritten) {
      // The client has got the beginning of an answer, which another stream must not begin again.
      if (this.#hasSent) this.continueAnswer({ promptTokens: 0, completionTokens: 0 });
      return { kind: 'refused', error, rest: Buffer.alloc(0) };
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

type WayEnd =
  | Extract<RelayEnd, { kind: 'stop' | 'over' }>
  | Omit<Extract<RelayEnd, { kind: 'refused' }>, 'answer'>;

function isError(json: Json): boolean {
  return json['type'] === 'error' || typeof json['error'] === 'string' || isOnlyError(json);
}

/** Some servers send the error of a request alone in an event. */
function isOnlyError(json: Json): boolean {
  return json['type'] === undefined && typeof json['error'] === 'object' && json['error'] !== null;
}

function areUnchanged(out: readonly Buffer[], events: readonly SseEvent[]): boolean {
  return out.length === events.length && out.every((bytes, index) => bytes === events[index]?.raw);
}
