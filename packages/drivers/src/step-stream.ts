import type {
  LanguageModelV4,
  LanguageModelV4CallOptions,
  LanguageModelV4StreamPart,
} from '@ai-sdk/provider';
import type { StepEvent } from '@longhaul/core';
import type { RequestGuard } from './request-guard.ts';
import type { StepEvents } from './step-events.ts';
import { type CallTarget, endedError, streamCut, toStepError } from './step-failure.ts';

export interface StepCall {
  model: LanguageModelV4;
  target: CallTarget;
  options: LanguageModelV4CallOptions;
  guard: RequestGuard;
  events: StepEvents;
  stallMs: number;
}

type PartReader = ReadableStreamDefaultReader<LanguageModelV4StreamPart>;
type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** How long the connection may take to close behind a finish, so that it can be used again. */
const CLOSING_MS = 250;

/**
 * One model call as events. Ends with exactly one `finish` or `error`, whatever the server, the network or the SDK does; never throws.
 *
 * The provider's `doStream` is called directly: `streamText` around it costs three times as much for every delta and 50 ms more at the
 * start, and what it adds (prompt conversion, running tools, retries) happens elsewhere here or not at all.
 */
export async function* streamStep(call: StepCall): AsyncGenerator<StepEvent, void> {
  const { guard, events, target } = call;
  let phase: 'request' | 'stream' = 'request';
  let reader: PartReader | undefined;
  try {
    reader = guard.endedBy === undefined ? await open(call) : undefined;
    phase = 'stream';
    while (guard.endedBy === undefined && reader !== undefined) {
      const next = await read(reader, guard);
      if (guard.endedBy !== undefined) break;
      if (next.done) return yield { type: 'error', error: streamCut(target) };
      const part = next.value;
      // A step has failed on any error part, whatever would follow it.
      if (part.type === 'error')
        return yield { type: 'error', error: toStepError(part.error, target, 'request') };
      if (part.type === 'finish') return yield* await finish(call, part, reader);
      const made = events.of(part);
      if (made.length > 0) guard.progress();
      for (const event of made) yield event;
    }
    yield { type: 'error', error: endedError(guard.endedBy ?? 'cancelled', target, call.stallMs) };
  } catch (thrown) {
    const { endedBy } = guard;
    const error =
      endedBy === undefined ? toStepError(thrown, target, phase) : endedError(endedBy, target, call.stallMs);
    yield { type: 'error', error };
  } finally {
    guard[Symbol.dispose]();
    release(reader);
  }
}

/** Undefined when the request was ended before the server answered. */
async function open({ model, options, guard }: StepCall): Promise<PartReader | undefined> {
  const answer = Promise.resolve(model.doStream(options));
  guard.startWait();
  // The connection is not trusted to notice an abort: a `fetch` may ignore its signal.
  const opened = await Promise.race([answer, guard.ended]);
  guard.endWait();
  if (opened === undefined) {
    // It may still answer; nobody reads that.
    answer.then((late) => release(late.stream.getReader()), ignore);
    return undefined;
  }
  const reader = opened.stream.getReader();
  // Cancelling settles a pending read at once, also while the server is silent. A race for every read would pile up its reactions on
  // the one long-lived promise.
  guard.onEnded = () => release(reader);
  return reader;
}

async function read(reader: PartReader, guard: RequestGuard) {
  guard.startWait();
  const next = await reader.read();
  guard.endWait();
  return next;
}

/**
 * Reads the rest before the finish is handed on: an error that comes behind it still counts, and a connection that was read to its end
 * is used again for the next step.
 */
async function finish(call: StepCall, part: FinishPart, reader: PartReader): Promise<readonly StepEvent[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<undefined>((resolve) => {
    timer = setTimeout(() => resolve(undefined), CLOSING_MS);
  });
  try {
    for (;;) {
      const next = await Promise.race([read(reader, call.guard), late]);
      if (next === undefined || next.done) break;
      if (next.value.type === 'error') {
        return [{ type: 'error', error: toStepError(next.value.error, call.target, 'request') }];
      }
    }
  } catch (thrown) {
    // The answer is whole: how the connection ends no longer matters, unless we ended it.
    if (call.guard.endedBy !== undefined) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  if (call.guard.endedBy === undefined) return call.events.finish(part);
  return [{ type: 'error', error: endedError(call.guard.endedBy, call.target, call.stallMs) }];
}

/** Lets go of what is buffered; the connection itself is closed by the guard's signal. */
function release(reader: PartReader | undefined): void {
  reader?.cancel().catch(ignore);
}

/** The step has its terminal event; what the abandoned connection reports has no reader. */
function ignore(): void {}
