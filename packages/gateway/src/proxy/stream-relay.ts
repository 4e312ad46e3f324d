import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage, StreamWatch } from '../compaction/types.ts';
import type { RawHeaders } from '../http/headers.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import type { AnswerRelay, RelayEnd } from './answer-relay.ts';
import { MAX_PENDING_BYTES, restOf, sourceOf } from './answer-source.ts';
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

/**
 * Passes the upstream's streams of one answer on to the client and watches them. As long as nothing must be changed,
 * the client gets the same bytes in the same chunks. Only an incomplete event waits for its end.
 */
export class StreamRelay implements AnswerRelay {
  readonly #options: RelayOptions;
  #usage: Record<string, unknown> | undefined;
  #earlierUsage: Record<string, unknown> | undefined;
  #isContinuation = false;
  hadError = false;
  #watch: StreamWatch | undefined;
  readonly #said = new SoFar();
  #run = new RelayRun(this.#said);

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  get usage(): ObservedUsage | undefined {
    return observedUsage(this.#usage);
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

  continueAnswer(estimate: ObservedUsage): void {
    this.#isContinuation = true;
    const { promptTokens, completionTokens = 0 } = estimate;
    this.#usage ??= {
      prompt_tokens: promptTokens,
      completion_tokens: completionTokens,
      total_tokens: promptTokens + completionTokens,
    };
  }

  async endAtLength(notice: string): Promise<void> {
    const { client, isUsageOurs } = this.#options;
    await client.notice(notice);
    const usage = isUsageOurs ? undefined : addUsages(this.#earlierUsage, this.#usage);
    await client.finish('length', usage);
  }

  async #relayAll(answer: IncomingMessage): Promise<RelayEnd> {
    const { client } = this.#options;
    const source = sourceOf(answer);
    // An unread stream is passed on as it is.
    if (!source.isReadable) this.#run.isFinished = true;
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
