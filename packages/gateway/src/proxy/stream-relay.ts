import type { IncomingMessage } from 'node:http';
import type { LonghaulError } from '@longhaul/protocol';
import type { ObservedUsage, StreamWatch } from '../compaction/types.ts';
import type { RawHeaders } from '../http/headers.ts';
import { type SseEvent, SseReader } from '../wire/sse-reader.ts';
import type { AnswerRelay, RelayEnd } from './answer-relay.ts';
import { type AnswerPiece, AnswerRun } from './answer-run.ts';
import { addUsages, type ChunkFacts, observedUsage, readChunk } from './chunk-facts.ts';
import type { ClientStream } from './client-stream.ts';
import { passStream, type TakenEvent } from './pass-stream.ts';
import { rewriteChunk, withoutNullUsage } from './rewrite-chunk.ts';

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
  #run = new AnswerRun(undefined);

  constructor(options: RelayOptions) {
    this.#options = options;
  }

  get usage(): ObservedUsage | undefined {
    return observedUsage(this.#usage);
  }

  async relay(answer: IncomingMessage, watch: StreamWatch | undefined): Promise<RelayEnd> {
    this.#run = new AnswerRun(watch, this.#run);
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
    const end = await passStream(answer, {
      client: this.#options.client,
      reader: new SseReader(),
      begin: (without) => this.#begin(answer, without),
      take: (event) => this.#take(event),
      takeLast: (bytes) => bytes,
    });
    if (end !== undefined) return end;
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

  #take(event: SseEvent): TakenEvent {
    const run = this.#run;
    if (event.data === undefined) return { bytes: event.raw };
    if (event.data === '[DONE]') {
      run.isFinished = true;
      return { bytes: event.raw };
    }
    const facts = readChunk(event.data, event.name);
    if (facts === undefined) return { bytes: event.raw };
    if (facts.isError) return this.#takeError(event);
    const bytes = this.#bytesOf(event, facts);
    this.#options.client.noteChunk(facts);
    run.add(pieceOf(facts), facts.isUsageOnly ? undefined : observedUsage(facts.usage));
    return { bytes, end: run.end };
  }

  #takeError(event: SseEvent): TakenEvent {
    const error = this.#options.explain(undefined, { body: `data: ${event.data}` });
    if (this.#run.hasWritten) {
      if (error.code === 'context_overflow' && this.#run.canStop)
        return { end: { kind: 'stop', soFar: this.#run.soFar(), error } };
      this.hadError = true;
      return { bytes: event.raw };
    }
    return { end: { kind: 'refused', error } };
  }

  /** Returns the bytes of a chunk for the client; undefined for none. */
  #bytesOf(event: SseEvent, facts: ChunkFacts): Buffer | undefined {
    const { client, isUsageOurs } = this.#options;
    if (facts.usage !== undefined) this.#usage = facts.usage;
    if (facts.isUsageOnly && isUsageOurs) return undefined;
    if (this.#isContinuation || client.mustRewrite) {
      const { identity, hasRole } = client;
      return rewriteChunk(facts, { identity, hasRole, isUsageOurs, earlierUsage: this.#earlierUsage });
    }
    return isUsageOurs && facts.json['usage'] === null ? withoutNullUsage(event.raw) : event.raw;
  }
}

function pieceOf({ text, reasoning, written, hasToolCall, isSingle, finishReason }: ChunkFacts): AnswerPiece {
  return { text, reasoning, written, hasCall: hasToolCall, isSingle, isEnd: finishReason !== undefined };
}
