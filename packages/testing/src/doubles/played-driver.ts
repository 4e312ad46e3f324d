import type { ModelDriver, ModelInfo, StepEvent, StepRequest } from '@longhaul/core';
import { type JsonObject, LonghaulError, type TokenUsage, ZERO_USAGE } from '@longhaul/protocol';

/**
 * What a played model does in a step: events, or a function that returns events for the request, and may take its time.
 */
export type PlayedStep =
  | readonly StepEvent[]
  | ((request: StepRequest) => AsyncIterable<StepEvent> | readonly StepEvent[]);

export interface PlayedDriver extends ModelDriver {
  /** The requests in the order they came, including those for summaries. */
  readonly requests: StepRequest[];
}

export const INFO: ModelInfo = {
  provider: 'played',
  model: 'test',
  windowTokens: 16_000,
  maxOutputTokens: 4_000,
  accepts: { images: true, files: true },
};

/** Creates a driver that plays steps in order and repeats the last one. */
export function playedDriver(steps: readonly PlayedStep[], info: Partial<ModelInfo> = {}): PlayedDriver {
  const requests: StepRequest[] = [];
  let next = 0;
  return {
    info: { ...INFO, ...info },
    requests,
    async *step(request) {
      requests.push(request);
      const played = steps[Math.min(next, steps.length - 1)] ?? [];
      next += 1;
      yield* typeof played === 'function' ? played(request) : played;
    },
  };
}

export function usageOf(inputTokens: number, outputTokens = 10): TokenUsage {
  return { ...ZERO_USAGE, inputTokens, outputTokens, totalTokens: inputTokens + outputTokens };
}

export function answer(text: string, usage?: TokenUsage): StepEvent[] {
  return [
    { type: 'text-start', id: 't' },
    { type: 'text-delta', id: 't', text },
    { type: 'text-end', id: 't' },
    { type: 'finish', finishReason: 'stop', usage },
  ];
}

export function calls(...wanted: { name: string; input?: JsonObject; callId?: string }[]): StepEvent[] {
  const events = wanted.map<StepEvent>(({ name, input, callId }, index) => ({
    type: 'tool-call',
    callId: callId ?? `call-${index}-${name}`,
    name,
    input: input ?? (callId === undefined ? {} : { call: callId }),
  }));
  return [...events, { type: 'finish', finishReason: 'tool-calls' }];
}

export function failure(...args: ConstructorParameters<typeof LonghaulError>): StepEvent {
  return { type: 'error', error: new LonghaulError(...args) };
}
