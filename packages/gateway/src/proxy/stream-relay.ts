import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import type { LonghaulError } from '@longhaul/protocol';
import type { AnswerSoFar, ObservedUsage, StreamWatch } from '../compaction/types.ts';
import { decoderFor, isEncoded } from '../http/decode.ts';
import type { RawHeaders } from '../http/headers.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import { addUsages, type ChunkFacts, observedUsage, readChunk } from './chunk-facts.ts';
import type { ClientStream } from './client-stream.ts';
import { RelayRun, SoFar } from './relay-state.ts';

export interface RelayOptions {
  client: ClientStream;
  /** The gateway requested usage and the client did not, so it is removed. */
  isUsageOurs: boolean;
  /** Headers to add if the head has not been sent yet. */
  headers: RawHeaders;
  explain: (thrown: unknown, answer: { status?: number; body?: string }) => LonghaulError;
}

export type RelayEnd =
  | { kind: 'ended' }
  /** The window is nearly full and the answer is not finished, or the server has broken it off for this reason. */
  | { kind: 'stop'; soFar: AnswerSoFar; error?: LonghaulError }
  /** The window is full. */
  | { kind: 'over'; soFar: AnswerSoFar }
  /** The stream contains an error instead of an answer. The error has not been sent. */
  | { kind: 'refused'; error: LonghaulError; rest: Buffer; answer: IncomingMessage }
  /** The upstream broke off. */
  | { kind: 'broken'; error: LonghaulError };

/** An incomplete event of this size is passed on. */
const MAX_PENDING_BYTES = 4 << 20;
/** How long to wait for the end of a stream after an error event. A server may keep the connection open. */
const REST_MS = 1_000;

/**
 * Passes the upstream's streams of one answer on to the client and watches them. As long as nothing must be changed,
 * the client gets the same bytes in the same chunks. Only an incomplete event waits for its end.
 */
export class StreamRelay {
  readonly #options: RelayOptions;
  #usage: Record<string, unknown> | undefined;
  #earlierUsage: Record<string, unknown> | undefined;
  #isContinuation = false;
  /** An error event was passed on, so the client knows that the answer has failed. */
  hadError = false;
  #watch: StreamWatch | undefined;
  readonly #said = new SoFar();
  #run = new RelayRun(this.#said);

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  /** Usage of the last relayed stream. */
  get usage(): ObservedUsage | undefined {
    return observedUsage(this.#usage);
  }

  /** Usage of all streams together; undefined if the client did not request it. */
  get usageForClient(): Record<string, unknown> | undefined {
    return this.#options.isUsageOurs ? undefined : addUsages(this.#earlierUsage, this.#usage);
  }

  async relay(answer: IncomingMessage, watch: StreamWatch | undefined): Promise<RelayEnd> {
    this.#watch = watch;
    this.#run = new RelayRun(this.#said);
    this.#earlierUsage = addUsages(this.#earlierUsage, this.#usage);
    this.#usage = undefined;
    try {
      return await this.#relayAll(answer);
    } catch (thrown) {
      return { kind: 'broken', error: this.#options.explain(thrown, { status: 200 }) };
    } finally {
      answer.destroy();
    }
  }

  /**
   * Announces that the next stream continues this answer. If the stopped stream has not reported its usage, the
   * estimate replaces it.
   */
  continueAnswer(estimate: ObservedUsage): void {
    this.#isContinuation = true;
    const { promptTokens, completionTokens = 0 } = estimate;
    this.#usage ??= {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
  }

  async #relayAll(answer: IncomingMessage): Promise<RelayEnd> {
    const { client } = this.#options;
    const source = this.#sourceOf(answer);
    const reader = new SseReader();
    const chunks = (source.stream as AsyncIterable<Buffer>)[Symbol.asyncIterator]();
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      const bytes = next.value;
      const wasWhole = reader.pending.length === 0;
      const events = source.isReadable ? reader.push(bytes) : [];
      const taken = source.isReadable ? this.#takeAll(events) : { out: [bytes], end: undefined };
      if (reader.pending.length > MAX_PENDING_BYTES) taken.out.push(reader.takePending());
      const isUnchanged = wasWhole && reader.pending.length === 0 && areUnchanged(taken.out, events);
      if (taken.out.length > 0) {
        this.#begin(answer, source.without);
        await client.write(isUnchanged ? bytes : Buffer.concat(taken.out));
      }
      if (taken.end?.kind === 'refused') {
        const { error, rest } = taken.end;
        return {
          kind: 'refused',
          error,
          answer,
          rest: Buffer.concat([rest, reader.takePending(), ...(await restOf(answer, chunks))]),
        };
      }
      if (taken.end !== undefined) return taken.end;
    }
    return this.#atEnd(answer, { reader, without: source.without });
  }

  async #atEnd(
    answer: IncomingMessage,
    { reader, without }: { reader: SseReader; without: readonly string[] },
  ): Promise<RelayEnd> {
    this.#begin(answer, without);
    if (reader.pending.length > 0) await this.#options.client.write(reader.takePending());
    if (this.#run.isFinished || this.hadError) return { kind: 'ended' };
    const cause = Object.assign(new Error('The stream ended without a finish reason.'), {
      code: 'ECONNRESET',
    });
    return { kind: 'broken', error: this.#options.explain(cause, { status: 200 }) };
  }

  #begin(answer: IncomingMessage, without: readonly string[]): void {
    const { client, headers } = this.#options;
    client.begin(answer, { without: ['content-length', ...without], add: headers });
  }

  /** Decompresses a stream so that its events can be read. A stream of unknown encoding is passed on unread. */
  #sourceOf(answer: IncomingMessage): { stream: Readable; isReadable: boolean; without: readonly string[] } {
    const encoding = answer.headers['content-encoding'];
    if (!isEncoded(encoding)) return { stream: answer, isReadable: true, without: [] };
    const decoder = decoderFor(encoding);
    if (decoder === undefined) {
      this.#run.isFinished = true;
      return { stream: answer, isReadable: false, without: [] };
    }
    // Reading from the decoder throws the pipeline's errors.
    const stream = pipeline(answer, decoder, () => {});
    return { stream, isReadable: true, without: ['content-encoding'] };
  }

  #takeAll(events: readonly SseEvent[]): { out: Buffer[]; end: RelayEndInside | undefined } {
    const out: Buffer[] = [];
    for (const [index, event] of events.entries()) {
      const { bytes, end } = this.#take(event);
      if (bytes !== undefined) out.push(bytes);
      if (end === undefined) continue;
      const left = events.slice(index).map(({ raw }) => raw);
      return { out, end: end.kind === 'refused' ? { ...end, rest: Buffer.concat(left) } : end };
    }
    return { out, end: undefined };
  }

  #take(event: SseEvent): { bytes?: Buffer | undefined; end?: RelayEndInside } {
    const run = this.#run;
    if (event.data === undefined) return { bytes: event.raw };
    if (event.data === '[DONE]') {
      run.isFinished = true;
      return { bytes: event.raw };
    }
    const facts = readChunk(event.data, event.name);
    if (facts === undefined) return { bytes: event.raw };
    if (facts.isError) return this.#takeError(event);
    run.note(facts);
    const bytes = this.#bytesOf(event, facts);
    this.#options.client.noteChunk(facts);
    const end = this.#judge(facts);
    return end === undefined ? { bytes } : { bytes, end };
  }

  #takeError(event: SseEvent): { bytes?: Buffer; end?: RelayEndInside } {
    const error = this.#options.explain(undefined, { body: `data: ${event.data}` });
    if (this.#run.hasWritten) {
      if (error.code === 'context_overflow' && this.#run.canStop && this.#watch !== undefined)
        return { end: { kind: 'stop', soFar: this.#said.answer(), error } };
      this.hadError = true;
      return { bytes: event.raw };
    }
    return { end: { kind: 'refused', error, rest: event.raw } };
  }

  #judge(facts: ChunkFacts): RelayEndInside | undefined {
    const run = this.#run;
    const usage = observedUsage(facts.usage);
    if (this.#watch === undefined) return undefined;
    const verdict = facts.written === '' ? undefined : this.#watch.add(facts.written);
    const byUsage = usage === undefined || facts.isUsageOnly ? undefined : this.#watch.update(usage);
    if (run.isFinished) return undefined;
    if (verdict === 'over' || byUsage === 'over') return { kind: 'over', soFar: this.#said.answer() };
    if ((verdict === 'stop' || byUsage === 'stop') && run.canStop)
      return { kind: 'stop', soFar: this.#said.answer() };
    return undefined;
  }

  /** Returns the bytes of a chunk for the client; undefined for none. */
  #bytesOf(event: SseEvent, facts: ChunkFacts): Buffer | undefined {
    const { client, isUsageOurs } = this.#options;
    if (facts.usage !== undefined) this.#usage = facts.usage;
    if (facts.isUsageOnly && isUsageOurs) return undefined;
    if (this.#isContinuation || client.mustRewrite) return this.#rewritten(facts);
    return isUsageOurs && facts.json['usage'] === null ? withoutNullUsage(event.raw) : event.raw;
  }

  /** Rewrites a chunk to match the answer that the client has seen so far: the same id, one role, the sum of usage. */
  #rewritten(facts: ChunkFacts): Buffer | undefined {
    const { client, isUsageOurs } = this.#options;
    const chunk: Record<string, unknown> = { ...facts.json, ...client.identity };
    if (isUsageOurs) delete chunk['usage'];
    else if (facts.usage !== undefined) chunk['usage'] = addUsages(this.#earlierUsage, facts.usage);
    if (facts.hasRole && client.hasRole) {
      const isEmpty = facts.written === '' && facts.finishReason === undefined && facts.usage === undefined;
      if (isEmpty) return undefined;
      chunk['choices'] = withoutRoles(chunk['choices']);
    }
    return Buffer.from(`data: ${JSON.stringify(chunk)}\n\n`);
  }
}

type RelayEndInside =
  | Exclude<RelayEnd, { kind: 'refused' }>
  | Omit<Extract<RelayEnd, { kind: 'refused' }>, 'answer'>;

function areUnchanged(out: readonly Buffer[], events: readonly SseEvent[]): boolean {
  return out.length === events.length && out.every((bytes, index) => bytes === events[index]?.raw);
}

/** Reads the rest of a stream after an error event, for at most `REST_MS` and about `MAX_PENDING_BYTES`. */
async function restOf(answer: IncomingMessage, chunks: AsyncIterator<Buffer>): Promise<Buffer[]> {
  const timer = setTimeout(() => answer.destroy(), REST_MS);
  const rest: Buffer[] = [];
  let size = 0;
  try {
    for (let next = await chunks.next(); next.done !== true; next = await chunks.next()) {
      rest.push(next.value);
      size += next.value.length;
      if (size > MAX_PENDING_BYTES) break;
    }
  } catch {
    // The error event says more than the broken connection.
  } finally {
    clearTimeout(timer);
  }
  return rest;
}

/** Removes `"usage":null`. The pattern cannot match inside a string, where quotes are escaped. */
function withoutNullUsage(raw: Buffer): Buffer {
  return Buffer.from(raw.toString('utf8').replace(/,\s*"usage"\s*:\s*null|"usage"\s*:\s*null\s*,\s*/, ''));
}

function withoutRoles(choices: unknown): unknown {
  if (!Array.isArray(choices)) return choices;
  return choices.map((choice) => {
    const { role: _, ...delta } = choice.delta ?? {};
    return { ...choice, delta };
  });
}
