import type { LanguageModelV4StreamPart } from '@ai-sdk/provider';
import { LonghaulError } from '@longhaul/protocol';
import { createParser } from 'eventsource-parser';
import { badChunk, type CallTarget } from '../step-failure.ts';
import type { PartReader, PartStream } from '../step-model.ts';

type Parts = readonly LanguageModelV4StreamPart[];

export interface PartMaker<Event> {
  /** Converts one event of the provider's stream. */
  of(event: Event): Parts;
  /** Called at the end of the stream. Without a `finish` part, the stream counts as cut. */
  end(): Parts;
}

/**
 * Converts an answer to a stream of parts.
 *
 * The SDKs' own readers are not used: Anthropic's ignores events without a name, which compatible servers send, and
 * OpenAI's fails on an event without data.
 */
export function toPartStream<Event>(
  { body }: Response,
  parts: PartMaker<Event>,
  target: CallTarget,
): PartStream {
  return {
    getReader: () => createReader(body ?? new Blob([]).stream(), createEventReader(parts, target), parts.end),
  };
}

/** Reads bytes of an answer, and returns the parts of the events that they complete. */
function createEventReader<Event>(parts: PartMaker<Event>, target: CallTarget) {
  const decoder = new TextDecoder();
  let made: LanguageModelV4StreamPart[] = [];
  const parser = createParser({
    onEvent({ data }) {
      if (data === '' || data === '[DONE]') return;
      const event = parse(data, target);
      if (typeof event !== 'object' || event === null) return;
      made.push(...(errorIn(event) ?? parts.of(event)));
    },
  });
  return (bytes: Uint8Array): Parts => {
    made = [];
    parser.feed(decoder.decode(bytes, { stream: true }));
    return made;
  };
}

/** @throws {LonghaulError} `provider_bad_response` */
function parse(data: string, target: CallTarget) {
  try {
    return JSON.parse(data);
  } catch (cause) {
    throw badChunk(data, target, cause);
  }
}

/** Recognises the providers' error events, and those of servers that send an error in place of an event. */
function errorIn(event: object): Parts | undefined {
  if ('error' in event && event.error !== null && event.error !== undefined)
    return [{ type: 'error', error: event.error }];
  const isError =
    ('type' in event && event.type === 'error') || ('object' in event && event.object === 'error');
  return isError ? [{ type: 'error', error: event }] : undefined;
}

type Reading = Awaited<ReturnType<PartReader['read']>>;

const DONE: Reading = { done: true };

function createReader(
  body: ReadableStream<Uint8Array>,
  partsOf: (bytes: Uint8Array) => Parts,
  end: () => Parts,
): PartReader {
  const reader = body.getReader();
  let ready: Parts = [];
  let next = 0;
  let isDone = false;
  let settle: ((reading: Reading) => void) | undefined;

  const take = (): Reading | undefined => {
    const value = ready[next];
    next += 1;
    return value === undefined ? undefined : { done: false, value };
  };
  const advance = async (): Promise<Reading> => {
    while (!isDone) {
      const { done, value } = await reader.read();
      isDone ||= done;
      ready = done ? end() : partsOf(value);
      next = 0;
      const taken = take();
      if (taken !== undefined) return taken;
    }
    return DONE;
  };
  return {
    read() {
      const taken = take();
      if (taken !== undefined) return Promise.resolve(taken);
      return new Promise((resolve, reject) => {
        settle = resolve;
        advance().then(resolve, reject);
      });
    },
    async cancel() {
      isDone = true;
      settle?.(DONE);
      await reader.cancel();
    },
  };
}

/** Returns the error of `fetch` itself, which the SDKs wrap. */
export function toThrown(thrown: unknown): unknown {
  return thrown instanceof Error && thrown.cause instanceof LonghaulError ? thrown.cause : thrown;
}
