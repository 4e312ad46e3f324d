import type { LanguageModelV4CallOptions, LanguageModelV4StreamPart } from '@ai-sdk/provider';
import type { StepEvent } from '@longhaul/core';
import type { RequestGuard } from './request-guard.ts';
import type { StepEvents } from './step-events.ts';
import { type CallTarget, endedError, noFinishReason, toStepError } from './step-failure.ts';
import type { PartReader, StepModel } from './step-model.ts';

export interface StepCall {
  model: StepModel;
  target: CallTarget;
  options: LanguageModelV4CallOptions;
  guard: RequestGuard;
  events: StepEvents;
  stallMs: number;
}

type FinishPart = Extract<LanguageModelV4StreamPart, { type: 'finish' }>;

/** How long the connection may take to close after a finish. It can be reused only if it closes in time. */
const CLOSING_MS = 250;

/**
 * Runs one model call and yields its events. Ends with exactly one `finish` or `error`, whatever the server, the
 * network or the SDK does. Never throws.
 *
 * It calls the provider's `doStream` directly. `streamText` would cost three times as much per delta and 50 ms more at
 * the start, and adds nothing that is needed here: prompt conversion, tool execution and retries happen elsewhere or
 * not at all.
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
      if (next.done) return yield { type: 'error', error: noFinishReason(target) };
      const part = next.value;
      // An error part fails the step, whatever follows it.
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

/** Opens the stream. Undefined if the guard ended the request before the server answered. */
async function open({ model, options, guard }: StepCall): Promise<PartReader | undefined> {
  const answer = Promise.resolve(model.doStream(options));
  guard.startWait();
  // Does not rely on the connection to notice an abort: a `fetch` may ignore its signal.
  const opened = await Promise.race([answer, guard.ended]);
  guard.endWait();
  if (opened === undefined) {
    // A late answer is discarded.
    answer.then((late) => release(late.stream.getReader()), ignore);
    return undefined;
  }
  const reader = opened.stream.getReader();
  // Cancelling settles a pending read at once, even if the server is silent. A race for every read would accumulate
  // reactions on one long-lived promise.
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
 * Reads the rest of the stream before the finish is emitted. An error after the finish still counts, and a connection
 * that was read to its end can be reused for the next step.
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
    // The answer is complete. How the connection ends does not matter, unless the guard ended it.
    if (call.guard.endedBy !== undefined) throw thrown;
  } finally {
    clearTimeout(timer);
  }
  if (call.guard.endedBy === undefined) return call.events.finish(part);
  return [{ type: 'error', error: endedError(call.guard.endedBy, call.target, call.stallMs) }];
}

/** Discards buffered data. The guard's signal closes the connection itself. */
function release(reader: PartReader | undefined): void {
  reader?.cancel().catch(ignore);
}

/** The step has its terminal event, so failures of the abandoned connection are ignored. */
function ignore(): void {}
